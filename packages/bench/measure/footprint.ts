/** Measures the bundle size and the start-up time of servers with one tool. */
import type { Bindings, EntryName, Lane } from '../lanes/lane.ts'
import { initialize, type LoadRequest } from '../load/request.ts'
import { type Bundle, bundleOf } from './bundle.ts'
import { measureStartup } from './startup.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { Workerd } from './workerd.ts'

export interface Footprint {
  readonly lane: Lane
  readonly entry: EntryName
  readonly name: string
  readonly gzipBytes: number
  /** Without the names of functions. */
  readonly unnamedGzipBytes: number
  readonly startupMilliseconds: Spread
}

interface Server {
  readonly lane: Lane
  readonly entry: EntryName
  readonly name: string
  readonly request: LoadRequest
  readonly bindings: Bindings | undefined
  readonly bundled: Bundle
  readonly unnamed: Bundle
  readonly startups: number[]
}

const STARTS = 9

/** Whether a server of this entry requires an access token. */
export const isProtected = (entry: EntryName) =>
  entry === 'authorized' || entry === 'authorized-sessions' || entry === 'external'

/** @throws {Error} when a server answers its first request wrongly */
export async function measureFootprints(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly Footprint[]> {
  const servers: Server[] = []
  for (const lane of lanes) {
    for (const [entry, name] of Object.entries(lane.footprints ?? {}) as [EntryName, string][]) {
      progress(`bundling and checking ${name}`)
      // A client without a token sends the same first request to every server.
      const request = {
        ...initialize(lane.sessionRevision),
        status: isProtected(entry) ? 401 : 200,
      }
      const bindings = lane.bindings?.[entry]
      const bundled = await bundleOf(lane, entry)
      const unnamed = await bundleOf(lane, entry, 'unnamed')
      await checkFirstResponse(bundled, bindings, request)
      servers.push({ lane, entry, name, request, bindings, bundled, unnamed, startups: [] })
    }
  }
  for (let start = 1; start <= STARTS; start++) {
    progress(`start ${start} of ${STARTS}`)
    for (const { bundled, bindings, request, startups } of servers) {
      startups.push(await measureStartup(bundled, bindings, request))
    }
  }
  return servers.map(({ lane, entry, name, bundled, unnamed, startups }) => ({
    lane,
    entry,
    name,
    gzipBytes: bundled.gzipBytes,
    unnamedGzipBytes: unnamed.gzipBytes,
    startupMilliseconds: spreadOf(startups),
  }))
}

/** A 401 must name the protected resource metadata, and the server must serve that document. */
async function checkFirstResponse(
  bundle: Bundle,
  bindings: Bindings | undefined,
  { status, headers, body }: LoadRequest,
): Promise<void> {
  const server = await Workerd.spawn(bundle, bindings)
  try {
    await server.ready()
    const response = await fetch(server.url, { method: 'POST', headers: { ...headers }, body })
    const text = await response.text()
    const fail = (what: string) => new Error(`${bundle.folder}: ${what}`)
    if (response.status !== status) throw fail(`${response.status} ${text.slice(0, 400)}`)
    if (status !== 401) return
    const challenge = response.headers.get('www-authenticate') ?? ''
    const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    if (metadataUrl === undefined) throw fail(`no resource metadata in ${challenge}`)
    const metadata = (await (await fetch(metadataUrl)).json()) as { resource?: unknown }
    if (metadata.resource !== server.url) throw fail(`metadata of ${metadata.resource}`)
  } finally {
    await server.stop()
  }
}
