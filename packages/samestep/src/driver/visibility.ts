/** The page, as far as its visibility is concerned. */
interface PageDocument {
  readonly visibilityState: string
  addEventListener(type: 'visibilitychange', listener: () => void): void
  removeEventListener(type: 'visibilitychange', listener: () => void): void
}

/** Tells when the page is hidden and when it is shown again. Without a page, nothing is ever hidden. */
export function followVisibility(
  tell: (isHidden: boolean) => void,
  isOver: () => boolean,
  page: PageDocument | undefined = (globalThis as { document?: PageDocument }).document,
): void {
  if (page === undefined || typeof page.addEventListener !== 'function') return
  const listen = () => {
    if (isOver()) page.removeEventListener('visibilitychange', listen)
    else tell(page.visibilityState === 'hidden')
  }
  page.addEventListener('visibilitychange', listen)
  if (page.visibilityState === 'hidden') tell(true)
}
