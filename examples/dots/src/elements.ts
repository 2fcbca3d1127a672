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

/** Lines of names and values, of which only the values change. */
export class Values {
  readonly element: HTMLDListElement
  readonly #cells = new Map<string, HTMLElement>()

  constructor(names: { readonly [key: string]: string }, className = '') {
    this.element = make('dl', { className })
    for (const [key, name] of Object.entries(names)) {
      const cell = make('dd')
      cell.dataset.value = key
      this.#cells.set(key, cell)
      this.element.append(make('dt', {}, name), cell)
    }
  }

  /** The name's cell, for a mark before it. */
  set(key: string, text: string): void {
    const cell = this.#cells.get(key)
    if (cell !== undefined && cell.textContent !== text) cell.textContent = text
  }
}
