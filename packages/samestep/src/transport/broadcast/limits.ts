/** Every maximum and every time of broadcast, with its reason. */

/** How often an unanswered hello is repeated: a lost one costs a quarter of a second. */
export const helloEveryMs = 250

/** How long a dial may take. */
export const dialMsMax = 10_000

/** How long an accepting listener may take to prove itself before another one gets its chance. */
export const proofMsMax = 1_000

/** How often somebody who is silent is asked whether it is still there. */
export const pingEveryMs = 1_000

/**
 * Questions without an answer after which the other end is gone. Counted, not timed: a hidden tab
 * has its timers held back to one per minute, but answers at once.
 */
export const pingsMax = 10

/** Those who said hello and nothing else. Anybody on the bus can say it. */
export const pendingMax = 64

/** Connections of one listener: everybody hears every frame, so a bus does not carry more anyway. */
export const connectionsMax = 64

/** Answers to one dial whose keys are being checked, side by side, so that a liar blocks nobody. */
export const derivingMax = 64

/** Frames of one connection that are being opened. More are dropped: only a flood comes so fast. */
export const openingMax = 256

/** Bytes of one connection that are being sealed. More are dropped, as a network would. */
export const sealingBytesMax = 262_144
