/** One listener's line to the hub, at the Worker's end. */
import type { Change, ChangeFeed } from '../../src/ports/change-bus.ts'
import { PING, PONG, parseChange } from './hub-wire.ts'

interface LineHandlers {
  readonly onChange: (change: Change) => void
  readonly onLost: () => void
  /** Called while the line lives, once per beat. */
  readonly onBeat: () => void
  /** Called once, however the line ends, before `onLost`. */
  readonly onEnd: () => void
}

/**
 * Follows a line until either end closes it.
 *
 * The beat is how a line that died without a word is noticed: the hub has no timers.
 */
export function followLine(
  socket: WebSocket,
  beatMs: number,
  { onChange, onLost, onBeat, onEnd }: LineHandlers,
): ChangeFeed {
  let ended = false
  let answered = true

  const end = (): boolean => {
    if (ended) return false
    ended = true
    clearInterval(heart)
    socket.close(1000)
    onEnd()
    return true
  }
  const lose = () => {
    if (end()) onLost()
  }
  const beat = () => {
    if (!answered || socket.readyState !== WebSocket.OPEN) return lose()
    answered = false
    socket.send(PING)
    onBeat()
  }

  socket.addEventListener('message', ({ data }) => {
    if (ended) return
    // Whatever arrives shows that the hub is there.
    answered = true
    const change = data === PONG ? undefined : parseChange(data)
    if (change !== undefined) onChange(change)
  })
  socket.addEventListener('close', lose)
  socket.addEventListener('error', lose)
  const heart = setInterval(beat, beatMs)
  socket.accept()
  return { close: () => void end() }
}
