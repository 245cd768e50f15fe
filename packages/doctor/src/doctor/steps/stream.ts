/** Step: the GET stream, for the clients that open one. */
import { quoted } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import { type Detected, detected, type Step } from '../detected.ts'
import { eventTypesIn } from '../mcp/rpc.ts'
import type { StreamObservation } from '../probes/stream.ts'
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
    const faults = streamFaults(open.stream, observed.token !== undefined)
    const status = client.name === 'Codex' ? open.stream.stream?.oldVersionStatus : undefined
    const isRefused = status !== undefined && status >= 400 && faults.length === 0
    if (!isRefused) return faults
    const text = `GET with MCP-Protocol-Version 2024-11-05 is answered with status ${status}`
    return [detected('stream-refused', text)]
  },
}

function streamFaults({ opened, stream: seen }: StreamObservation, hasToken: boolean): Detected[] {
  if ('kind' in opened) {
    const code = opened.kind === 'no-answer' ? 'stream-no-first-byte' : 'stream-refused'
    return [detected(code, `GET has no response: ${printable(opened.detail)}`)]
  }
  if (seen === undefined) {
    if (opened.status === 405) {
      if (opened.allow !== undefined) return []
      return [detected('allow-header-missing', 'GET is answered with status 405')]
    }
    const code = opened.status === 401 && hasToken ? 'token-refused' : 'stream-refused'
    const type = opened.contentType === '' ? '' : ` and Content-Type ${quoted(opened.contentType)}`
    return [detected(code, `GET is answered with status ${opened.status}${type}`)]
  }
  const faults: Detected[] = []
  const add = (isWrong: boolean, code: Detected['code'], text: string) => {
    if (isWrong) faults.push(detected(code, text))
  }
  const { firstByteAfterMs, headersAfterMs, longestSilenceMs, hasEnded, secondStatus = 0 } = seen
  const silence = `No byte for ${seconds(longestSilenceMs)} on the open GET stream`
  add(!hasEnded && longestSilenceMs >= KEEP_ALIVE_MS, 'stream-no-keep-alive', silence)
  const endsEarly = hasEnded && !/^(?:id|retry):/m.test(seen.text) && seen.watchedMs < ENDS_EARLY_MS
  add(endsEarly, 'stream-ends', `The GET stream ended after ${seen.watchedMs} ms`)
  const unknown = eventTypesIn(seen.text).find((type) => !KNOWN_EVENTS.includes(type))
  const event = `An event has the type ${quoted(unknown)}`
  add(unknown !== undefined, 'stream-event-unknown', event)
  const waited = Math.max(headersAfterMs, firstByteAfterMs ?? 0)
  const late = `The first byte of the GET stream came after ${seconds(waited)}`
  add(waited > FIRST_BYTE_MS, 'stream-no-first-byte', late)
  const second = `A second GET is answered with status ${secondStatus}`
  add(secondStatus >= 400 && secondStatus !== 405, 'second-stream-refused', second)
  return faults
}

/** `endpoint` is the first event of the HTTP+SSE transport. */
const KNOWN_EVENTS = ['message', 'endpoint']

const seconds = (ms: number) => `${Math.round(ms / 1000)} seconds`
