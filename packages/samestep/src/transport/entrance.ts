/**
 * The one guard at every entrance from native code: callbacks of sockets, timers and the WebRTC library.
 *
 * What such a callback throws would be an uncaught exception, which ends the process and every match in
 * it. Strangers choose when and with what these callbacks run, so an error in one may cost the connection
 * that it serves, and nothing else:
 *
 *     native code ──► guarded callback ──► our code
 *                          │ throws
 *                          ▼
 *                     onFault(error): that connection is closed, the fault is counted and logged
 */

/** Hears of an error of ours that was met at an entrance, and of whose connection it was. */
export type FaultListener = (error: unknown, remote?: string) => void

/** The same callback, but what it throws goes to `onFault`. */
export function guardEntrance<Args extends readonly unknown[]>(
  callback: (...args: Args) => void,
  onFault: (error: unknown) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      callback(...args)
    } catch (error) {
      onFault(error)
    }
  }
}
