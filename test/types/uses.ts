/**
 * Type tests of what a server uses: a member of the context without its feature is an error of the compiler that names the
 * value to add. This file is never executed.
 */

import type { Events } from '../../packages/events/src/index.ts'
import { connect } from '../../packages/testing/src/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import {
  asks,
  type Context,
  type ContextOf,
  createEdgeway,
  createServer,
  type FactoryContext,
  McpServer,
} from '../../src/index.ts'
import type { AddToUses } from '../../src/server/context.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_T extends true>(): void {}

interface Env {
  readonly KEY: string
}

const info = { name: 'types', version: '1' } as const
declare const isOwner: boolean
declare const someEvents: Events

// What is used is in the context, with what it needs.
const asking = createServer({ ...info, uses: [asks()] })
asking.registerTool('asks', {}, async (ctx) => {
  await ctx.step('one', () => 1)
  // @ts-expect-error 1. AddToUses<"state()"> has no `create`
  await ctx.state.create('x')
  return 'done'
})
const storing = createServer({ ...info, uses: [files()] })
storing.registerTool('stores', { files: true }, async ({ file, state: kept, elicit }) => {
  assertType<Equal<typeof kept, ContextOf<typeof storing>['state']>>()
  await elicit({ url: 'https://example.com', message: 'Open' })
  await file('a.txt', 'a')
  return 'stored'
})

// 2. and 3. A server that uses nothing, in either form, cannot ask.
const plain = createServer(info)
// @ts-expect-error AddToUses<"asks()"> is not callable
plain.registerTool('asks', {}, async ({ elicit }) => elicit({ message: 'x' }))
// @ts-expect-error AddToUses<"asks()"> is not callable
new McpServer(info).registerTool('asks', {}, async (ctx) => ctx.sample({ messages: [] }))
assertType<Equal<ContextOf<typeof plain>['elicit'], AddToUses<'asks()'>>>()
assertType<Equal<ContextOf<typeof plain>['emit'], AddToUses<'events()'>>>()

// 4. to 7. The same in prompts, resources, middleware and completions.
// @ts-expect-error
plain.registerPrompt('asks', {}, async (ctx) => ctx.page('x'))
// @ts-expect-error
plain.registerResource('a', 'a://b', {}, async (_, ctx) => ctx.upload({ message: 'x' }))
// @ts-expect-error
plain.use(async ({ ctx }, next) => ctx.step('x', next))
// @ts-expect-error
plain.registerTool('emits', {}, async (ctx) => ctx.emit('x', {}))

// 8. A condition makes the members optional.
const conditional = createServer({ ...info, uses: [isOwner && state()] })
conditional.registerTool('stores', {}, async (ctx) => {
  await ctx.state?.principal.get('x')
  // @ts-expect-error `state` may be undefined
  await ctx.state.principal.get('x')
  return 'stored'
})

// 9. A server includes one that uses no more than itself.
asking.include(plain)
storing.include(asking)
// @ts-expect-error Add asks() to uses of this server
plain.include(asking)

// 10. A tool in another file has the context of its server.
export async function confirm(ctx: ContextOf<typeof asking>) {
  return ctx.elicit({ url: 'https://example.com', message: 'Open' })
}
asking.registerTool('confirms', {}, async (ctx) => (await confirm(ctx)).action)
// @ts-expect-error a narrower context
plain.registerTool('confirms', {}, async (ctx) => (await confirm(ctx)).action)
export const nameOf = (ctx: Context) => ctx.client.info?.name
asking.registerTool('names', {}, (ctx) => nameOf(ctx) ?? 'unknown')

// 11. and 12. An environment of one's own.
const keyed = createServer.for<Env>()({ ...info, uses: [state()] })
keyed.registerTool('reads', {}, (ctx) => ctx.env.KEY)
// @ts-expect-error there is no such binding
keyed.registerTool('reads', {}, (ctx) => ctx.env.OTHER)
// @ts-expect-error the environments differ
keyed.include(createServer.for<{ readonly OTHER: string }>()(info))

// 13. What is used brings its members of `edgeway` too, and features of the deployment are added.
const app = createEdgeway(createServer.for<Env>()({ ...info, uses: [changes(), someEvents] }), {
  features: [sessions(), tasks()],
})
declare const env: Env
app.notify(env)
app.events(env)
app.tasks(env)
// @ts-expect-error the app has no admin()
app.admin(env)

// 14. The servers of a factory use what its app has.
createEdgeway((_: FactoryContext<Env>) => createServer({ ...info, uses: [state()] }), {
  info,
  features: [state()],
})
const lacking = createEdgeway(() => createServer({ ...info, uses: [state()] }), {
  info,
  features: [sessions()],
})
// @ts-expect-error AddToFeatures<"state()"> has no `fetch`
lacking.fetch

// 15. A value that is no feature.
// @ts-expect-error the function instead of its value
createServer({ ...info, uses: [asks] })

// The test kit needs no features.
void connect(asking)
