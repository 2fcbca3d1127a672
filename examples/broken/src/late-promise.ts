import { defineGame, single, u16 } from 'samestep'

/** Mail that is delivered when there is time for it. */
export const post = defineGame({
  id: 'broken-late-promise',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { post: single({ sent: u16, delivered: u16 }) },

  step({ state, tick }) {
    const { post } = state
    if (tick % 5 !== 0) return
    post.sent += 1
    void deliver(post)
  },
})

async function deliver(post: { delivered: number }): Promise<void> {
  await Promise.resolve()
  post.delivered += 1 // ✗
}
