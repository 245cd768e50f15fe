/** Step: the GET stream, for the clients that open one. */
import { type Detected, detected, type Step } from '../detected.ts'
import type { StreamObservation } from '../probes/stream.ts'
import { printable, quoted } from '../text.ts'
import { sessionOf } from './era.ts'

const FIRST_BYTE_MS = 5000
const ENDS_EARLY_MS = 5000
/** Proxies close idle connections after 30 seconds and more. */
const KEEP_ALIVE_MS = 25_000

export const stream: Step = {
  title: 'listens to the GET stream',
  check: (observed, client) => {
    const open = sessionOf(observed, client)
    if (!client.opensStream || open === undefined) return []
    return streamFaults(open.stream, observed.token !== undefined)
  },
}

function streamFaults({ opened, stream: seen }: StreamObservation, hasToken: boolean): Detected[] {
  if ('kind' in opened) {
    const code = opened.kind === 'no-answer' ? 'stream-no-first-byte' : 'stream-refused'
    return [detected(code, `GET has no response: ${printable(opened.detail)}`)]
  }
  if (seen === undefined) {
    if (opened.status === 405) return []
    const code = opened.status === 401 && hasToken ? 'token-refused' : 'stream-refused'
    const type = opened.contentType === '' ? '' : ` and Content-Type ${quoted(opened.contentType)}`
    return [detected(code, `GET is answered with status ${opened.status}${type}`)]
  }
  const faults: Detected[] = []
  const { firstByteAfterMs, headersAfterMs, longestSilenceMs, hasEnded, secondStatus } = seen
  const isSilent = !hasEnded && longestSilenceMs >= KEEP_ALIVE_MS
  if (isSilent) {
    const message = `No byte for ${seconds(longestSilenceMs)} on the open GET stream`
    faults.push(detected('stream-no-keep-alive', message))
  }
  const isPolled = /^(?:id|retry):/m.test(seen.text)
  if (hasEnded && !isPolled && seen.watchedMs < ENDS_EARLY_MS) {
    const message = `The GET stream ended after ${seen.watchedMs} ms`
    faults.push(detected('stream-ends', message))
  }
  const waited = Math.max(headersAfterMs, firstByteAfterMs ?? 0)
  if (waited > FIRST_BYTE_MS) {
    faults.push(
      detected(
        'stream-no-first-byte',
        `The first byte of the GET stream came after ${seconds(waited)}`,
      ),
    )
  }
  if (secondStatus !== undefined && secondStatus >= 400 && secondStatus !== 405) {
    faults.push(
      detected('second-stream-refused', `A second GET is answered with status ${secondStatus}`),
    )
  }
  return faults
}

const seconds = (ms: number) => `${Math.round(ms / 1000)} seconds`
