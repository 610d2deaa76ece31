# SPDX-License-Identifier: Apache-2.0
"""Training steps of torchvision's ResNet-50 in FP16 with a scaled loss, channels last, 64 random images a step."""

import sys

import torch
import torchvision

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
model = torchvision.models.resnet50().cuda().to(memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
scaler = torch.amp.GradScaler("cuda")
images = torch.randn(64, 3, 224, 224, device="cuda").to(memory_format=torch.channels_last)
classes = torch.randint(0, 1000, (64,), device="cuda")
for _ in range(int(sys.argv[1])):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = torch.nn.functional.cross_entropy(model(images), classes)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
print(f"loss {loss.item():.4f}")
