import { find, make } from './elements.ts'

/** Shows a card over the game. The same card again changes nothing, so that what is typed stays. */
export function showCard(key: string, ...content: readonly (Node | string)[]): void {
  const card = find('#card')
  if (card.dataset.key === key) return
  card.dataset.key = key
  card.replaceChildren(...content)
}

/** Shows a title and a sentence. */
export function showText(title: string, text = ''): void {
  showCard(`${title} ${text}`, make('h2', { textContent: title }), make('p', { textContent: text }))
}

/** Takes the card away. */
export function hideCard(): void {
  showCard('')
}

/** Asks for the player's name; a page that is loaded again knows it already. */
export function askName(): Promise<string> {
  const known = sessionStorage.getItem('name')
  if (known !== null) return Promise.resolve(known)
  return new Promise((resolve) => {
    const input = make('input', {
      name: 'name',
      maxLength: 24,
      required: true,
      placeholder: 'Your name',
    })
    input.value = localStorage.getItem('name') ?? ''
    const form = make('form', {}, input, make('button', { textContent: 'Join' }))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      const name = input.value.trim()
      if (name === '') return
      sessionStorage.setItem('name', name)
      localStorage.setItem('name', name)
      resolve(name)
    })
    showCard('name', make('h2', { textContent: 'Who are you?' }), form)
    input.focus()
  })
}

/** Shows that the match is over, or could not be joined, and offers what can be done. */
export function showEnd(title: string, text: string): void {
  const again = make('button', { textContent: 'Try again' })
  again.onclick = () => location.reload()
  const fresh = make('button', { textContent: 'New match' })
  fresh.onclick = () => {
    location.href = location.pathname
  }
  showCard(
    `end ${title} ${text}`,
    make('h2', { textContent: title }),
    make('p', { textContent: text }),
    make('div', { className: 'row' }, again, fresh),
  )
}

let toastTimer: ReturnType<typeof setTimeout> | undefined

/** Shows a short message for a moment. */
export function toast(text: string): void {
  const element = find('#toast')
  element.textContent = text
  element.classList.add('on')
  clearTimeout(toastTimer)
  toastTimer = setTimeout(() => element.classList.remove('on'), 3_000)
}
