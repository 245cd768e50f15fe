/** The timeline and the inspector of an app. The inspector shows the timeline, and brings one where the app has none. */
import type { Inspector, InspectorContext } from '../inspect/inspector-config.ts'
import type { RequestReader } from '../ports/request-observer.ts'
import type { Timeline } from '../timeline/timeline-config.ts'
import type { EdgewayOptions } from './options.ts'

interface Readers {
  readonly timeline: Timeline | undefined
  readonly inspector: Inspector | undefined
  readonly all: readonly RequestReader[]
}

export function createReaders(
  options: Pick<EdgewayOptions, 'timeline' | 'inspector'>,
  context: Omit<InspectorContext, 'timeline'>,
): Readers {
  const own = options.timeline?.create(context)
  const inspector = options.inspector?.create({ ...context, timeline: own })
  const timeline = inspector?.timeline ?? own
  const all = [timeline, inspector].filter((reader) => reader !== undefined)
  return { timeline, inspector, all }
}
