/**
 * Floods the protected server from one network while another principal calls it from the same network,
 * and measures how that principal is answered.
 */
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { authorize } from './authorize.ts'
import { protectedServer } from './fixture-servers.ts'
import { startServer } from './server.ts'

export interface FloodOptions {
  /** The MCP endpoint. */
  readonly url: string
  readonly seconds: number
  /** Requests per second. */
  readonly rate: number
  /** The token of a principal that takes part in the flood. */
  readonly floodToken: string
  /** The token of the other principal. */
  readonly otherToken: string
}

export interface FloodReport {
  readonly seconds: number
  /** Requests of the flood that were sent. Less than the rate when the server or this machine is too slow. */
  readonly sent: number
  /** Answers to the flood by HTTP status; 0 for a connection that broke. */
  readonly statuses: Readonly<Record<string, number>>
  /** Calls of the other principal. */
  readonly calls: number
  /** Of these, those without the right answer. */
  readonly failures: readonly string[]
  /** Latencies of the right answers in milliseconds. */
  readonly medianMs: number
  readonly p99Ms: number
}

/** An address of documentation (RFC 5737), which the client sends itself: there is no Cloudflare here. */
const NETWORK = '192.0.2.1'

/** Requests of the flood without an answer. More would measure the queue of this process. */
const MAX_IN_FLIGHT = 256

const TICK_MS = 10
const CALL_INTERVAL_MS = 100

const TEXT = 'answered'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: TEXT }, _meta: META },
})
const HEADERS = {
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(BODY)),
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'echo',
  'cf-connecting-ip': NETWORK,
}

/** Sends requests with a forged token, without a token, and of one principal, in turns. */
export async function flood(options: FloodOptions): Promise<FloodReport> {
  const { url, seconds, rate, floodToken, otherToken } = options
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_IN_FLIGHT })
  const otherAgent = new Agent({ keepAlive: true })
  const tokens = [`${floodToken.slice(0, -8)}AAAAAAAA`, undefined, floodToken]
  const statuses: Record<string, number> = {}
  const latencies: number[] = []
  const failures: string[] = []
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  let sent = 0
  let inFlight = 0

  const sendOne = async () => {
    const token = tokens[sent % tokens.length]
    sent += 1
    inFlight += 1
    const { status } = await call(url, agent, token)
    statuses[status] = (statuses[status] ?? 0) + 1
    inFlight -= 1
  }
  const load = async () => {
    let due = 0
    while (elapsedMs() < seconds * 1000) {
      await sleep(TICK_MS)
      due = Math.min((elapsedMs() / 1000) * rate, rate * seconds)
      while (sent < due && inFlight < MAX_IN_FLIGHT) void sendOne()
    }
    while (inFlight > 0) await sleep(TICK_MS)
  }
  const callAsOther = async () => {
    while (elapsedMs() < seconds * 1000) {
      const calledAt = performance.now()
      const { status, body } = await call(url, otherAgent, otherToken)
      if (status === 200 && body.includes(`"text":"${TEXT}"`)) {
        latencies.push(performance.now() - calledAt)
      } else {
        failures.push(`${status} ${body.slice(0, 200)}`)
      }
      await sleep(CALL_INTERVAL_MS)
    }
  }
  await Promise.all([load(), callAsOther()])
  agent.destroy()
  otherAgent.destroy()
  const sorted = latencies.toSorted((a, b) => a - b)
  return {
    seconds: elapsedMs() / 1000,
    sent,
    statuses,
    calls: latencies.length + failures.length,
    failures,
    medianMs: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
  }
}

/** Status 0 and the error as the body when the connection breaks. */
function call(
  url: string,
  agent: Agent,
  token: string | undefined,
): Promise<{ readonly status: number; readonly body: string }> {
  const headers = token === undefined ? HEADERS : { ...HEADERS, authorization: `Bearer ${token}` }
  return new Promise((resolve) => {
    const broken = (error: Error) => resolve({ status: 0, body: error.message })
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', broken)
    })
    sent.on('error', broken)
    sent.end(BODY)
  })
}

/** NaN without values. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

/** Floods the protected fixture server, which has the default rate limits. */
export async function floodFixture(
  options: Pick<FloodOptions, 'seconds' | 'rate'>,
): Promise<FloodReport> {
  const served = await protectedServer({ port: 0, rateLimits: {} })
  const server = await startServer({ ...served, onLog: () => undefined })
  const { origin } = new URL(server.url)
  const tokenOf = (passphrase: string) => authorize({ origin, passphrase })
  const floodToken = await tokenOf('battery staple correct horse')
  const otherToken = await tokenOf('correct horse battery staple')
  const report = await flood({ ...options, url: server.url, floodToken, otherToken })
  await server.stop()
  return report
}

export function formatFlood(report: FloodReport, rate: number): string {
  const { sent, seconds, statuses, calls, failures, medianMs, p99Ms } = report
  const byStatus = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  return [
    `flood: ${sent} requests in ${seconds.toFixed(1)} s, ${(sent / seconds).toFixed(0)}/s of ${rate}/s`,
    `answers by status: ${byStatus.join(', ')} (refused by a rate limit: ${statuses['429'] ?? 0})`,
    `other principal: ${calls} calls, ${failures.length} failed, median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    ...failures.slice(0, 10).map((failure) => `failed: ${failure}`),
  ].join('\n')
}
