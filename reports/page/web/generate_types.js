// SPDX-License-Identifier: Apache-2.0
// The types of what the program writes, from the schemas in docs/schema: the page cannot read a field that is not there.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFromFile } from 'json-schema-to-typescript';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, 'src', 'generated');
mkdirSync(target, { recursive: true });
const schemas = join(here, '..', '..', '..', 'docs', 'schema');
const types = await compileFromFile(join(schemas, 'page.schema.json'), { cwd: schemas, additionalProperties: false });
writeFileSync(join(target, 'page_data.ts'), types);
