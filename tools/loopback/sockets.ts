/** Sockets of strangers. Everything here connects to this machine only. */
import { connect, type Socket } from 'node:net'

/** Where every relay under attack listens, and where honest players come from. */
export const host = '127.0.0.1'

/** One of the strangers' addresses, in turn: 127.0.0.2 and so on. None of them is an honest player's. */
export function addressOf(turn: number, addresses: number): string {
  return `127.0.0.${2 + (turn % addresses)}`
}

/** Resolves after `ms`. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Connects from one of the strangers' addresses. Errors are silent: 'close' follows each of them. */
export function openFrom(localAddress: string, port: number): Socket {
  const socket = connect({ port, host, localAddress })
  socket.on('error', () => {})
  return socket
}

/** Connects, and waits until that worked; `undefined` when it did not. */
export async function connectFrom(localAddress: string, port: number): Promise<Socket | undefined> {
  const socket = openFrom(localAddress, port)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(undefined))
  })
}

/** Writes, and waits until the socket takes more or is closed. False when it is closed. */
export async function writeAll(socket: Socket, bytes: Uint8Array | string): Promise<boolean> {
  if (socket.destroyed) return false
  if (socket.write(bytes)) return true
  await new Promise<void>((resolve) => {
    const go = () => {
      socket.off('drain', go)
      socket.off('close', go)
      resolve()
    }
    socket.on('drain', go)
    socket.on('close', go)
  })
  return !socket.destroyed
}

/** Resolves when the socket is closed, or after `msMax`. True when it is closed. */
export async function closedWithin(socket: Socket, msMax: number): Promise<boolean> {
  if (socket.destroyed) return true
  return new Promise((resolve) => {
    const onClose = () => {
      clearTimeout(timer)
      resolve(true)
    }
    const timer = setTimeout(() => {
      socket.off('close', onClose)
      resolve(false)
    }, msMax)
    socket.once('close', onClose)
  })
}
