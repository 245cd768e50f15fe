/**
 * Type tests of features: what `createEdgeway` returns for each list of them. `npm run typecheck` fails when a
 * type differs from the type written here. This file is never executed.
 */

import { events } from '../../packages/events/src/index.ts'
import { type Admin, admin } from '../../packages/inspector/src/admin/index.ts'
import { inspector } from '../../packages/inspector/src/inspector/index.ts'
import { type TimelineControl, timeline } from '../../packages/inspector/src/timeline/index.ts'
import { createMcpHandler, McpServer as SdkServer } from '../../packages/sdk/src/index.ts'
import type { EdgewayCore } from '../../src/app/edgeway.ts'
import { type AuthConfig, embedded, external } from '../../src/auth/index.ts'
import type { Feature } from '../../src/feature/index.ts'
import { apps } from '../../src/features/apps/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { health } from '../../src/features/health/index.ts'
import { landingPage } from '../../src/features/landing-page/index.ts'
import { proofs } from '../../src/features/proofs/index.ts'
import { rateLimits } from '../../src/features/rate-limits/index.ts'
import { serverCard } from '../../src/features/server-card/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { skills } from '../../src/features/skills/index.ts'
import { state } from '../../src/features/state/index.ts'
import { type TaskControl, tasks } from '../../src/features/tasks/index.ts'
import {
  asks,
  createEdgeway,
  type EdgewayObjectClass,
  type EdgewayOptions,
  type FactoryContext,
  McpServer,
  type Notify,
  objectsOf,
} from '../../src/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function assertType<_T extends true>(): void {}

/** The members of an app that features bring. */
type MembersOf<App> = Exclude<keyof App, keyof EdgewayCore>

interface Env {
  readonly KEY: string
}

const server = new McpServer<Env>({ name: 'types', version: '1' })
declare const env: Env
declare const isOn: boolean

// Without features, an app has its class, and no member of a feature.
const plain = createEdgeway(server)
assertType<Equal<MembersOf<typeof plain>, never>>()
assertType<Equal<Parameters<typeof plain.fetch>[1], Env>>()
assertType<Equal<typeof plain.Objects, EdgewayObjectClass>>()
// @ts-expect-error: an app has one class, and not one for each feature
plain.objects
// @ts-expect-error: tasks() is not passed
plain.tasks(env)
// @ts-expect-error: changes() is not passed
plain.notify(env)
// @ts-expect-error: timeline() is not passed
plain.timeline(env)
// @ts-expect-error: admin() is not passed
plain.admin(env)

// Features that bring no member change nothing.
const pages = createEdgeway(server, {
  features: [
    skills(),
    apps(),
    rateLimits(),
    landingPage(),
    health(),
    serverCard({ name: 'com.example/types' }),
    proofs({ openaiApps: (env: { readonly TOKEN: string }) => env.TOKEN }),
  ],
})
assertType<Equal<MembersOf<typeof pages>, never>>()

// Features that bring kinds of objects alone have no member: all objects are of one class.
const stored = createEdgeway(server, { features: [asks(), sessions(), files(), state()] })
assertType<Equal<MembersOf<typeof stored>, never>>()
assertType<Equal<typeof stored.Objects, EdgewayObjectClass>>()

// `McpServer<Env>` gives the environment of the functions.
const withChanges = createEdgeway(server, { features: [changes()] })
assertType<Equal<MembersOf<typeof withChanges>, 'notify'>>()
assertType<Equal<typeof withChanges.notify, (env: Env) => Notify>>()
// @ts-expect-error: the environment has no KEY
withChanges.notify({})

const withTasks = createEdgeway(server, { features: [tasks()] })
assertType<Equal<MembersOf<typeof withTasks>, 'tasks'>>()
assertType<Equal<typeof withTasks.tasks, (env: Env) => TaskControl>>()

const watched = createEdgeway(server, { features: [timeline(), admin()] })
assertType<Equal<MembersOf<typeof watched>, 'timeline' | 'admin'>>()
assertType<Equal<typeof watched.timeline, (env: Env) => TimelineControl>>()
assertType<Equal<typeof watched.admin, (env: Env) => Admin>>()

// The inspector contains the timeline.
const inspected = createEdgeway(server, { features: [inspector()] })
assertType<Equal<MembersOf<typeof inspected>, 'timeline'>>()

// A Worker exports the class of one server or of several as a subclass.
class McpObjects extends withTasks.Objects {}
class SharedObjects extends objectsOf(withTasks, watched) {}
assertType<McpObjects extends InstanceType<EdgewayObjectClass> ? true : false>()
assertType<SharedObjects extends InstanceType<EdgewayObjectClass> ? true : false>()
// @ts-expect-error: the class of an app, and not the app
objectsOf(withTasks.Objects)

// Authorization brings no member.
const protectedApp = createEdgeway(server, {
  auth: embedded({ scopes: { read: 'Read' } }),
  features: [sessions()],
})
assertType<Equal<MembersOf<typeof protectedApp>, never>>()
const resource = createEdgeway(server, {
  auth: external({ issuers: [{ issuer: 'https://login.example.com' }], scopes: { read: 'Read' } }),
})
assertType<Equal<MembersOf<typeof resource>, never>>()
declare const anyAuth: AuthConfig
const unknownAuth = createEdgeway(server, { auth: anyAuth })
assertType<Equal<MembersOf<typeof unknownAuth>, never>>()

// The members of a feature that a condition passes are optional.
const optional = createEdgeway(server, { features: [sessions(), isOn && tasks()] })
assertType<Equal<typeof optional.tasks, ((env: Env) => TaskControl) | undefined>>()
// @ts-expect-error: tasks() may not be passed
optional.tasks(env)
// The class is there in any case.
assertType<Equal<typeof optional.Objects, EdgewayObjectClass>>()
const chosen = createEdgeway(server, {
  features: [isOn ? tasks() : undefined, isOn ? changes() : null],
})
assertType<Equal<typeof chosen.tasks, ((env: Env) => TaskControl) | undefined>>()
assertType<Equal<typeof chosen.notify, ((env: Env) => Notify) | undefined>>()
const either = createEdgeway(server, { features: [isOn ? tasks() : changes()] })
// @ts-expect-error: changes() may be passed instead
either.tasks(env)

// Nothing is certain of a list without a fixed order: the members of its features are optional.
const list = [sessions(), tasks()]
const listed = createEdgeway(server, { features: list })
assertType<Equal<typeof listed.tasks, ((env: Env) => TaskControl) | undefined>>()

// A list of which the compiler does not know the features is refused.
declare const anyFeatures: readonly Feature[]
// @ts-expect-error: The type Feature does not say what a feature brings
createEdgeway(server, { features: anyFeatures })
const [anyFeature = tasks()] = anyFeatures
// @ts-expect-error: The type Feature does not say what a feature brings
createEdgeway(server, { features: [anyFeature] })
// @ts-expect-error: The type Feature does not say what a feature brings
createEdgeway(server, { features: [tasks(), ...anyFeatures] })
declare const someOptions: EdgewayOptions
// @ts-expect-error: The type Feature does not say what a feature brings
createEdgeway(server, someOptions)

// A factory has the same features.
const factory = (_: FactoryContext<Env>) => new McpServer<Env>({ name: 'types', version: '1' })
const built = createEdgeway(factory, { audience: 'types', features: [tasks()] })
assertType<Equal<typeof built.tasks, (env: Env) => TaskControl>>()

// `createMcpHandler` has asks() in any case.
const handler = createMcpHandler(new SdkServer({ name: 'types', version: '1' }), {
  features: [changes()],
})
assertType<Equal<MembersOf<typeof handler.edgeway>, 'notify'>>()
assertType<Equal<typeof handler.edgeway.Objects, EdgewayObjectClass>>()

// A feature is a value, not its function.
// @ts-expect-error: the value is tasks()
createEdgeway(server, { features: [tasks] })
// @ts-expect-error: features is a list
createEdgeway(server, { features: tasks() })

// No option of a feature is one of the app.
// @ts-expect-error: path may be a list
createEdgeway(server, { otherPaths: ['/docs'] })
// @ts-expect-error: sessions({ httpSse })
createEdgeway(server, { httpSse: false })
// @ts-expect-error: sessions({ only })
createEdgeway(server, { sessionsOnly: true })
// @ts-expect-error: no option names a binding
createEdgeway(server, { sessionBinding: 'DOCS_SESSION' })
// @ts-expect-error: no option names a binding
createEdgeway(server, { taskBinding: 'DOCS_TASK' })
// @ts-expect-error: no option names a binding
sessions({ binding: 'DOCS_SESSION' })
// @ts-expect-error: no option names a binding
tasks({ binding: 'DOCS_TASK' })
// @ts-expect-error: no option names a binding
events({ types: [], binding: 'DOCS_EVENTS' })
// @ts-expect-error: rateLimits()
createEdgeway(server, { rateLimits: false })
// @ts-expect-error: changes()
createEdgeway(server, { hub: {} })
// @ts-expect-error: landingPage()
createEdgeway(server, { landingPage: false })
// @ts-expect-error: health({ path })
createEdgeway(server, { health: '/healthz' })
// @ts-expect-error: features
createEdgeway(server, { timeline: timeline() })
// @ts-expect-error: features
createEdgeway(server, { inspector: inspector() })
// @ts-expect-error: features
createEdgeway(server, { files: files() })
// @ts-expect-error: features
createEdgeway(server, { admin: admin() })
