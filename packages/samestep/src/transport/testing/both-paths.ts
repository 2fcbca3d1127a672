/** Both ways that packets of a WebSocket take on the relay's side. What holds for one holds for the other. */
export const bothPaths = [
  { path: 'plain', turbo: false },
  { path: 'turbo', turbo: true },
] as const
