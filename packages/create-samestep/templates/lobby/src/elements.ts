/** The element of a selector, which is in index.html. */
export function find<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!
}

/** Makes an element. Names and chat are set as text, so they never become markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/** The colours of the seats. */
export const colours = ['#6cf', '#f96', '#9d6', '#e7c', '#fd5', '#8ef', '#c9f', '#bbb']
