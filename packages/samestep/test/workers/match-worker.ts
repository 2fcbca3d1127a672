/** The worker's file of a page, as a game writes it. */
import { serveMatch } from '../../src/driver/worker/serve-match.ts'
import { runners } from './game.ts'

serveMatch(runners)
