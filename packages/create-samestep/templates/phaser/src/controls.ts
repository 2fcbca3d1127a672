/** What the keys say: turn and thrust, held until they change. */
export interface Controls {
  readonly turn: number
  readonly thrust: boolean
}

/** Calls `steer` whenever a key that steers goes down or up. */
export function followKeys(steer: (controls: Controls) => void): void {
  const held = new Set<string>()
  const tell = () => {
    const isHeld = (...codes: string[]) => codes.some((code) => held.has(code))
    const turn = Number(isHeld('ArrowRight', 'KeyD')) - Number(isHeld('ArrowLeft', 'KeyA'))
    steer({ turn, thrust: isHeld('ArrowUp', 'KeyW') })
  }
  addEventListener('keydown', (event) => {
    held.add(event.code)
    if (event.code.startsWith('Arrow')) event.preventDefault()
    tell()
  })
  addEventListener('keyup', ({ code }) => {
    held.delete(code)
    tell()
  })
  // Keys that go up while another window has the focus are never told.
  addEventListener('blur', () => {
    held.clear()
    tell()
  })
}
