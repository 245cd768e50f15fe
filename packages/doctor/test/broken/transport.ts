/** Defects of the bodies and event streams that carry messages. */
import { onMethod, onResult, withAnswer } from '../defects.ts'
import type { Answer } from '../http-server.ts'
import { type Defect, json } from '../reference-server.ts'
import { ALL, CLAUDE, type Row, WITH_SESSION } from './row.ts'

/** Changes the answers to initialize. */
const initializeAs = (change: (answer: Answer) => Answer): Defect =>
  onMethod('initialize', (_, next) => next && change(next))

const asStream = (text: (json: string) => string): Defect =>
  initializeAs((answer) => ({
    ...answer,
    headers: { ...answer.headers, 'content-type': 'text/event-stream' },
    body: text(String(answer.body)),
  }))

const withType = (type: string): Defect =>
  initializeAs((answer) => ({ ...answer, headers: { ...answer.headers, 'content-type': type } }))

export const TRANSPORT_ROWS: readonly Row[] = [
  {
    fault: 'response-members-unknown',
    when: 'every response has a trace id',
    defect: withAnswer('/mcp', (answer) => ({
      ...answer,
      ...(answer.body && { body: String(answer.body).replace('{', '{"traceId":"7f3a",') }),
    })),
    breaks: ['Claude Code', 'Cursor', 'Gemini CLI', 'Inspector'],
    at: ALL,
    fix: /_meta/,
  },
  ...['tools/list', 'tools/call'].map(
    (method): Row => ({
      fault: 'response-members-unknown',
      when: `the response to ${method} alone has a trace id`,
      defect: onMethod(
        method,
        (_, next) =>
          next && { ...next, body: String(next.body).replace('{', '{"traceId":"7f3a",') },
      ),
      breaks: ['Claude Code', 'Cursor', 'Gemini CLI', 'Inspector'],
      at: ALL,
      fix: /_meta/,
    }),
  ),
  {
    fault: 'response-content-type',
    when: 'JSON is sent with a type that ends in +json',
    defect: withType('application/vnd.mcp+json'),
    breaks: ALL,
    fix: /application\/json/,
  },
  {
    fault: 'response-content-type',
    when: 'JSON is sent as text/html',
    defect: withType('text/html; charset=UTF-8'),
    breaks: ALL,
    fix: /application\/json/,
  },
  {
    fault: 'initialize-version-unknown',
    when: 'initialize is answered with the revision that has no initialize',
    defect: onResult('initialize', (result) => ({ ...result, protocolVersion: '2026-07-28' })),
    breaks: WITH_SESSION,
    fix: /the newest revision does not have/,
  },
  {
    fault: 'discover-fails',
    when: 'server/discover is answered with status 200 and an error that has no id',
    defect: onMethod('server/discover', () =>
      json({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'Method not found' } }),
    ),
    breaks: CLAUDE,
    fix: /-32601/,
  },
  {
    fault: 'discover-fails',
    when: 'server/discover is answered with status 200 and an error that has no message',
    defect: onMethod('server/discover', (id) => json({ jsonrpc: '2.0', id, error: { code: 1 } })),
    breaks: CLAUDE,
    fix: /-32601/,
  },
  {
    fault: 'response-missing',
    when: 'a request is answered with 202 and its response',
    defect: initializeAs((answer) => ({ ...answer, status: 202 })),
    breaks: ALL,
    fix: /status 200/,
  },
  {
    fault: 'response-content-type',
    when: 'an event stream is sent as JSON',
    defect: initializeAs((answer) => ({ ...answer, body: `data: ${answer.body}\n\n` })),
    breaks: ALL,
    fix: /text\/event-stream/,
  },
  {
    fault: 'event-stream-invalid',
    when: 'JSON is sent as an event stream',
    defect: asStream((json) => json),
    breaks: ALL,
    fix: /application\/json/,
  },
  {
    fault: 'event-stream-invalid',
    when: 'the event does not end with an empty line',
    defect: asStream((json) => `data: ${json}\n`),
    breaks: ALL,
    fix: /empty line/,
  },
  {
    fault: 'event-stream-invalid',
    when: 'the JSON of the event has line breaks',
    defect: asStream((json) => `data: ${JSON.stringify(JSON.parse(json), null, 2)}\n\n`),
    breaks: ALL,
    fix: /without line breaks/,
  },
  {
    fault: 'event-stream-invalid',
    when: 'the event of the response has another type than message',
    defect: asStream((json) => `event: response\ndata: ${json}\n\n`),
    breaks: ALL,
    fix: /event: message/,
  },
  {
    fault: 'no-answer',
    when: 'the notification after initialize is not answered',
    defect: onMethod('notifications/initialized', () => undefined),
    timeoutMs: 4000,
    breaks: WITH_SESSION,
    fix: /notification/,
  },
  {
    fault: 'response-batched',
    when: 'initialize is answered with an array',
    defect: initializeAs((answer) => ({ ...answer, body: `[${answer.body}]` })),
    at: WITH_SESSION,
    fix: /one object/,
  },
]
