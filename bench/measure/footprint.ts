/** What a one-tool server weighs, and how soon it answers. */
import type { Lane } from '../lanes/lane.ts'
import type { LoadRequest } from '../load/request.ts'
import { NO_ADMISSION } from './admission.ts'
import { type Bundle, bundle } from './bundle.ts'
import { bundleOf } from './contest.ts'
import { measureStartup } from './startup.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { WORKS } from './works.ts'

export interface Footprint {
  readonly lane: string
  readonly gzipBytes: number
  readonly startupMilliseconds: Spread
}

const STARTS = 9

/** The lanes that have a one-tool server; Edgeway once more without a schema library. */
export async function measureFootprints(
  lanes: readonly Lane[],
  progress: (text: string) => void,
): Promise<readonly Footprint[]> {
  const entries: { lane: string; request: LoadRequest; bundled: Bundle; startups: number[] }[] = []
  for (const lane of lanes) {
    const work = WORKS.find(
      ({ name, definition }) => definition === 'one-tool' && lane.works.includes(name),
    )
    if (work === undefined) continue
    const request = work.request(lane, NO_ADMISSION)
    const bundled = await bundleOf(lane, 'one-tool')
    entries.push({ lane: lane.name, request, bundled, startups: [] })
    if (lane.folder === 'edgeway') {
      const raw = await bundle(lane.folder, 'raw-schema', lane.compatibilityFlags)
      entries.push({ lane: `${lane.name}, without zod`, request, bundled: raw, startups: [] })
    }
  }
  for (let start = 1; start <= STARTS; start++) {
    progress(`start ${start} of ${STARTS}`)
    for (const { bundled, request, startups } of entries) {
      startups.push(await measureStartup(bundled, request))
    }
  }
  return entries.map(({ lane, bundled, startups }) => ({
    lane,
    gzipBytes: bundled.gzipBytes,
    startupMilliseconds: spreadOf(startups),
  }))
}
