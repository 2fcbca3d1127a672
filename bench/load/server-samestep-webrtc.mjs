/** The same relay: it listens for WebRTC too. */
import './server-samestep.mjs'
