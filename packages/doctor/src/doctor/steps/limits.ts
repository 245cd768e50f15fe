/** Step: the server answers as many requests as a client sends, in time. */
import { detected, type Step } from '../detected.ts'

/** What a client sends while it connects: handshake, lists, stream and a call. */
export const REQUESTS_OF_A_CLIENT = 10

export const limits: Step = {
  title: 'gets its answers',
  check: ({ cut }) => {
    if (cut?.why === 'too-slow')
      return [detected('answers-slow', 'The time of the examination ended')]
    if (cut?.why !== 'rate-limited' || cut.served >= REQUESTS_OF_A_CLIENT) return []
    return [detected('rate-limited', `After ${cut.served} requests, the next one has status 429`)]
  },
}
