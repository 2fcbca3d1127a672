/** Makes an element. Texts stay texts: nothing that a player is called becomes markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** A coloured disc that stands for a seat. */
export function makeSwatch(seat: number): HTMLElement {
  const swatch = make('span', { className: 'swatch' })
  swatch.style.background = `var(--seat-${seat})`
  return swatch
}

/** A button that does something. */
export function makeButton(text: string, act: () => void, className = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', className }, text)
  button.addEventListener('click', act)
  return button
}
