/** The classes of two bindings whose objects run in the app that a test has opened last. */
// features: events, tasks
import { events } from '../../src/features/events/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'

interface App {
  readonly objects: { readonly McpEvents?: unknown; readonly McpTask?: unknown }
}

/** Its classes have the methods that the runtime looks for. */
const nothing = createEdgeway(new McpServer({ name: 'nothing', version: '1.0.0' }), {
  features: [events({ types: [] }), tasks()],
})

let opened: App = nothing

/** Objects that start from now on are those of this app. */
export function openObjectsOf<Opened extends App>(app: Opened): Opened {
  opened = app
  return app
}

export const OpenedEvents = new Proxy(nothing.objects.McpEvents, {
  construct: (target, args) => Reflect.construct(opened.objects.McpEvents as typeof target, args),
})

export const OpenedTask = new Proxy(nothing.objects.McpTask, {
  construct: (target, args) => Reflect.construct(opened.objects.McpTask as typeof target, args),
})
