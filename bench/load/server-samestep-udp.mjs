/** The same relay: it listens for UDP too. */
import './server-samestep.mjs'
