import { fixed } from 'samestep'
import { Simulation } from 'samestep/debug'
import { injectDesync } from 'samestep/testing'
import { fullTilt, pulse, world } from './game.ts'
import { makeJoiner } from './join.ts'
import { readLink } from './link.ts'
import { Page } from './page.ts'

const link = readLink(location.href)
const { join, line } = makeJoiner(link)
const page = new Page(line)
const match = page.show(...(await join(location.href, link.match).catch(page.complain)))
const own = match.seat ?? 0
const { simulation } = match
// A worker's state is out of the page's reach.
if (simulation instanceof Simulation) {
  page.offerFlip(() => injectDesync(simulation, `dots.score[${own}]`))
}
const canvas = document.querySelector('canvas')!
const brush = canvas.getContext('2d')!
const style = getComputedStyle(canvas)

/** Inputs are held: they go with every tick, until they change. */
function steer(x: number, y: number): void {
  if (match.seat === undefined) return
  const scale = fullTilt / Math.max(Math.hypot(x, y), 1)
  match.input({ dx: Math.round(x * scale), dy: Math.round(y * scale) })
}

/** An order happens once, at the same tick for everybody, and says how it ended. */
async function fire(x: number, y: number): Promise<void> {
  if (match.seat === undefined || match.playState().name === 'waiting') return
  page.report(await match.order('pulse', { x, y }).settled)
}

const held = new Set<string>()
function steerByKeys(): void {
  const holds = (...keys: string[]) => Number(keys.some((key) => held.has(key)))
  const x = holds('ArrowRight', 'KeyD') - holds('ArrowLeft', 'KeyA')
  steer(x, holds('ArrowDown', 'KeyS') - holds('ArrowUp', 'KeyW'))
}

function handleKey(event: KeyboardEvent): void {
  const { code, type, target, repeat } = event
  // Sliders have a use for arrows themselves, and buttons for the space bar.
  if (target instanceof Element && target.closest('input, button, a')) return
  if (type === 'keydown') held.add(code)
  else held.delete(code)
  if (/^Arrow|^Space/.test(code)) event.preventDefault()
  steerByKeys()
  const { x, y } = match.simulation.view.dots
  if (type === 'keydown' && code === 'Space' && !repeat) fire(x[own], y[own])
}
addEventListener('keydown', handleKey)
addEventListener('keyup', handleKey)
addEventListener('blur', () => {
  held.clear()
  steerByKeys()
})

let thumb: PointerEvent | undefined
canvas.onpointerdown = (event) => {
  canvas.setPointerCapture(event.pointerId)
  if (event.pointerType === 'touch') thumb = event
}
canvas.onpointermove = ({ clientX, clientY }) => {
  if (thumb) steer((clientX - thumb.clientX) / 40, (clientY - thumb.clientY) / 40)
}
canvas.onpointercancel = canvas.onpointerup = ({ type, clientX, clientY, timeStamp }) => {
  const isDrag = thumb && timeStamp - thumb.timeStamp > 250
  thumb = undefined
  steerByKeys()
  if (isDrag || type === 'pointercancel') return
  const { left, top, width } = canvas.getBoundingClientRect()
  const unit = world.width / width
  fire(fixed.from((clientX - left) * unit), fixed.from((clientY - top) * unit))
}

/** A disc, or with a line a ring, as much of it as `share` says. */
function disc(x: number, y: number, radius: number, name: string, line = 0, share = 1): void {
  brush.beginPath()
  brush.arc(x, y, radius, -Math.PI / 2, (2 * share - 0.5) * Math.PI)
  brush.lineWidth = line
  brush.fillStyle = brush.strokeStyle = style.getPropertyValue(`--${name}`)
  if (line > 0) brush.stroke()
  else brush.fill()
}

requestAnimationFrame(function paint(now) {
  requestAnimationFrame(paint)
  const { current, blend, alpha, tick } = match.advance(now)
  const { dots, sparks, pulses } = current
  page.fit(canvas)
  brush.setTransform(canvas.width / world.width, 0, 0, canvas.height / world.height, 0, 0)
  brush.clearRect(0, 0, world.width, world.height)
  for (const row of sparks) {
    disc(fixed.toNumber(sparks.x[row]), fixed.toNumber(sparks.y[row]), 1, 'spark')
  }
  for (const row of pulses) {
    const share = Math.min((pulses.age[row] + alpha) / pulse.ringTicks, 0.99)
    const [x, y] = [fixed.toNumber(pulses.x[row]), fixed.toNumber(pulses.y[row])]
    disc(x, y, pulse.reach * share, `seat-${pulses.owner[row]}`, 2 - 2 * share)
  }
  for (const row of dots) {
    const [x, y] = [blend.dots.x(row, alpha), blend.dots.y(row, alpha)]
    disc(x, y, 2.2, `seat-${row}`)
    // The ring around the own dot closes while its next pulse charges.
    const charge = 1 - (dots.chargedAt[row] - tick - alpha) / pulse.chargeTicks
    if (row === own) disc(x, y, 3.2, 'ink', 0.5, Math.min(charge, 1))
  }
  page.update((seat) => dots.score[seat])
})
