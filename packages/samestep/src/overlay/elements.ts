/** Makes an element. Text stays text: a player's name never becomes markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** Writes a text only where it changes, so that a reader can select it and the page stays idle. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** A button with something to do. */
export function makeButton(text: string, act: () => void): HTMLButtonElement {
  const button = make('button', { type: 'button' }, text)
  button.addEventListener('click', act)
  return button
}

/** A part of the overlay that folds away: its heading stays. */
export function makeSection(
  name: string,
  heading: readonly (Node | string)[],
  ...children: readonly Node[]
): HTMLElement {
  const section = make('details', { open: true }, make('summary', {}, ...heading), ...children)
  section.dataset.section = name
  return section
}

/** Names with values, of which only the values change. */
export class Values<K extends string> {
  readonly element: HTMLDListElement
  readonly #cells = new Map<K, HTMLElement>()

  constructor(names: Readonly<Record<K, string>>) {
    this.element = make('dl')
    for (const [key, name] of Object.entries(names) as [K, string][]) {
      const cell = make('dd')
      cell.dataset.value = key
      this.#cells.set(key, cell)
      this.element.append(make('dt', {}, name), cell)
    }
  }

  set(key: K, text: string): void {
    setText(this.#cells.get(key) as HTMLElement, text)
  }
}

/** A duration for people; a dash where it is not known. */
export function msText(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms)) return '–'
  return `${Math.abs(ms) < 9.95 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** An amount of bytes for people. */
export function bytesText(bytes: number): string {
  return bytes < 9_950 ? `${Math.round(bytes)} B` : `${(bytes / 1_000).toFixed(1)} kB`
}
