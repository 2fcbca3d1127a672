/** A player that is a process of Node, which its parent talks to. */
import { play, type Said, type Task } from './player.ts'

const say = (said: Said) => process.send?.(said)

process.on('message', async (task: Task) => {
  const { file, match } = task
  try {
    await play(task, await import(`../${file}.ts`), say)
  } catch (error) {
    say({ type: 'failed', match, message: String((error as Error).stack) })
  }
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit())
