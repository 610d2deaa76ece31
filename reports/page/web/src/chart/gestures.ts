// SPDX-License-Identifier: Apache-2.0
// Moves and zooms a chart with mouse, wheel and fingers. One finger that moves up or down still scrolls the page.
import { MARGIN, type Box, type Pixel, type Plane, type Shift } from './plane';

export interface Target {
  /** The plane as it was last drawn. */
  plane: () => Plane;
  /** While it goes on. */
  onShift: (shift: Shift) => void;
  /** At the end, with the plane as it is then. */
  onDone: (plane: Plane) => void;
  /** What was drawn is to be as before the gesture. */
  onCancel: () => void;
  onBox: (box: Box | null) => void;
  /** A click or a tap, in pixels of the chart. */
  onClick: (at: Pixel, event: PointerEvent) => void;
  onReset: () => void;
}

const STILL: Shift = { scale: 1, x: 0, y: 0 };
const isMoved = ({ scale, x, y }: Shift): boolean => scale !== 1 || x !== 0 || y !== 0;
/** A hand that clicks or taps moves this far. */
const MOUSE_MOVE = 3;
const TAP_MOVE = 10;
/** A box that is thinner goes over the whole height or width. */
const LEAST_BOX = 12;
const WHEEL_SPEED = 0.0025;
const MOST_WHEEL = 60;
/** Milliseconds after the last turn of the wheel. */
const WHEEL_END = 160;

/** `shift`, and then `scale` times as large around `at`. */
function zoomed(shift: Shift, scale: number, at: Pixel): Shift {
  return { scale: shift.scale * scale, x: at.x + (shift.x - at.x) * scale, y: at.y + (shift.y - at.y) * scale };
}

const middleOf = (pixels: readonly Pixel[]): Pixel => {
  const sum = pixels.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }));
  return { x: sum.x / pixels.length, y: sum.y / pixels.length };
};
const spanOf = ([a, b]: readonly Pixel[]): number => (a && b ? Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) : 1);

export class Gestures {
  /** Whether the mouse draws the box to zoom to, instead of moving the plane. */
  isBoxZoom = false;
  private readonly pointers = new Map<number, Pixel>();
  private begin: Pixel[] = [];
  /** Before the fingers that are down now. */
  private base: Shift = STILL;
  private shift: Shift = STILL;
  private box: Box | null = null;
  private hasMoved = false;
  private wheelEnd: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly element: HTMLElement, private readonly target: Target) {
    element.addEventListener('pointerdown', (event) => this.onDown(event));
    element.addEventListener('pointermove', (event) => this.onMove(event));
    element.addEventListener('pointerup', (event) => this.onUp(event));
    element.addEventListener('pointercancel', () => this.cancel());
    element.addEventListener('dblclick', () => target.onReset());
    // The page scrolls with the wheel; with Ctrl it zooms the chart.
    element.addEventListener('wheel', (event) => this.onWheel(event), { passive: false });
  }

  get isActive(): boolean {
    return this.hasMoved || this.wheelEnd !== undefined;
  }

  at({ clientX, clientY }: MouseEvent): Pixel {
    const { left, top } = this.element.getBoundingClientRect();
    return { x: clientX - left - this.element.clientLeft, y: clientY - top - this.element.clientTop };
  }

  private onDown(event: PointerEvent): void {
    if (event.pointerType === 'mouse' && event.button !== 0) return;
    this.endWheel();
    this.pointers.set(event.pointerId, this.at(event));
    this.restart();
  }

  /** Another number of fingers goes on from where the others were. */
  private restart(): void {
    this.begin = [...this.pointers.values()];
    this.base = this.shift;
  }

  private onMove(event: PointerEvent): void {
    if (!this.pointers.has(event.pointerId)) return;
    // It was released outside of the window.
    if (event.buttons === 0) return this.cancel();
    this.pointers.set(event.pointerId, this.at(event));
    const [from, to] = [middleOf(this.begin), middleOf([...this.pointers.values()])];
    const far = event.pointerType === 'mouse' ? MOUSE_MOVE : TAP_MOVE;
    if (!this.hasMoved && this.pointers.size === 1 && Math.hypot(to.x - from.x, to.y - from.y) < far) return;
    this.hasMoved = true;
    this.element.setPointerCapture(event.pointerId);
    if (this.isBoxZoom && event.pointerType === 'mouse') return this.drawBox(from, to);
    const scale = spanOf([...this.pointers.values()]) / spanOf(this.begin);
    const { scale: size, x, y } = zoomed(this.base, scale, from);
    this.show({ scale: size, ...this.along({ x: x + to.x - from.x, y: y + to.y - from.y }, from) });
  }

  /** On the numbers of one axis the other stays; what is below them does not move. */
  private along({ x, y }: Pixel, from: Pixel): Pixel {
    const { left, bottom } = this.target.plane().frame;
    if (this.pointers.size > 1) return { x, y };
    const isOutside = { x: from.x < left || this.isBelow(from), y: from.y > bottom };
    return { x: isOutside.x ? this.base.x : x, y: isOutside.y ? this.base.y : y };
  }

  private isBelow({ y }: Pixel): boolean {
    return y > this.target.plane().frame.bottom + MARGIN.bottom;
  }

  private drawBox(from: Pixel, to: Pixel): void {
    const { frame } = this.target.plane();
    const within = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));
    const range = (a: number, b: number, low: number, high: number): [number, number] =>
      (Math.abs(a - b) < LEAST_BOX ? [low, high] : [within(Math.min(a, b), low, high), within(Math.max(a, b), low, high)]);
    const [left, right] = range(from.x, to.x, frame.left, frame.right);
    const [top, bottom] = range(from.y, to.y, frame.top, frame.bottom);
    this.box = { left, right, top, bottom };
    this.target.onBox(this.box);
  }

  /** Whether the box leaves out something, but not everything. */
  private isUseful({ left, right, top, bottom }: Box): boolean {
    const { frame } = this.target.plane();
    const isWhole = left === frame.left && right === frame.right && top === frame.top && bottom === frame.bottom;
    return !isWhole && right - left >= LEAST_BOX && bottom - top >= LEAST_BOX;
  }

  private onUp(event: PointerEvent): void {
    if (!this.pointers.delete(event.pointerId)) return;
    if (this.pointers.size > 0) return this.restart();
    if (this.hasMoved) this.finish();
    else this.target.onClick(this.at(event), event);
  }

  private finish(): void {
    const { box, shift } = this;
    const plane = this.target.plane();
    this.forget();
    const end = box ? this.isUseful(box) && plane.within(box) : isMoved(shift) && plane.shifted(shift);
    if (end) this.target.onDone(end);
    else this.target.onCancel();
  }

  private cancel(): void {
    const wasMoved = this.hasMoved;
    this.forget();
    if (wasMoved) this.target.onCancel();
  }

  private forget(): void {
    clearTimeout(this.wheelEnd);
    this.wheelEnd = undefined;
    this.pointers.clear();
    this.hasMoved = false;
    this.base = this.shift = STILL;
    if (this.box) this.target.onBox(null);
    this.box = null;
  }

  private onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    if (this.isBelow(this.at(event))) return;
    const turned = Math.max(-MOST_WHEEL, Math.min(event.deltaY, MOST_WHEEL));
    this.show(zoomed(this.shift, Math.exp(-turned * WHEEL_SPEED), this.at(event)));
    clearTimeout(this.wheelEnd);
    this.wheelEnd = setTimeout(() => this.finish(), WHEEL_END);
  }

  /** What the wheel did is done before anything else begins. */
  private endWheel(): void {
    if (this.wheelEnd !== undefined) this.finish();
  }

  private show(shift: Shift): void {
    this.shift = shift;
    this.target.onShift(shift);
  }
}
