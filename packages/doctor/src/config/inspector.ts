/** The Worker that loads the main module in workerd and describes it: its exports, and the apps it creates. */
import type { Icon } from '../../../../src/protocol/content.ts'
import type { Surface } from '../definition/surface.ts'

export interface DescribedTool {
  readonly name: string
  readonly inputSchema: unknown
  readonly outputSchema?: unknown
  readonly task: boolean
  /** Whether it declares files. */
  readonly files: boolean
}

/** Of `embedded()`, in milliseconds. */
export interface DescribedLifetimes {
  readonly accessTtlMs: number
  readonly refreshGraceMs: number
}

/** The Server Card of an app, as `serverCard()` creates it, with paths in place of the URLs of its remotes. */
export interface DescribedCard {
  readonly name: string
  readonly version: string
  readonly title?: string
  readonly description: string
  readonly websiteUrl?: string
  readonly repository?: object
  readonly icons?: readonly Icon[]
  readonly remotes: readonly {
    readonly type: 'streamable-http' | 'sse'
    readonly url: string
    readonly headers?: readonly object[]
    readonly variables?: object
    readonly supportedProtocolVersions: readonly string[]
  }[]
}

export interface RequiredBinding {
  readonly feature: string
  readonly binding: string
  readonly className: string
}

/** An app, as `src/app/announce-app.ts` announces it. */
export interface DescribedApp {
  readonly paths: readonly string[]
  /** Which server of the Worker it is. */
  readonly audience: string
  /** The option. Absent without it. */
  readonly jurisdiction?: string
  readonly auth?: {
    readonly type: string
    readonly origins?: readonly string[]
    readonly lifetimes?: DescribedLifetimes
  }
  /** The kinds of objects that it has. */
  readonly kinds: readonly string[]
  /** Absent without `sessions()`. */
  readonly sessionsOnly?: boolean
  /** The tool by which clients without tasks wait. Absent without `tasks()`, and where it is switched off. */
  readonly resultTool?: string
  readonly answerTool?: string
  /** How long a request holds the calls of these clients, in milliseconds. */
  readonly holdMs?: number
  /** The Worker loader. Absent without `code()`. */
  readonly codeBinding?: string
  /** Whether its handlers may ask the client: `ctx.elicit` and the others. Absent without `asks()`. */
  readonly asks?: boolean
  /** The bindings of features of the author, and that of an agent. */
  readonly required: readonly RequiredBinding[]
  /** The period of each class in seconds. Absent without `rateLimits()`. */
  readonly limitPeriods?: Readonly<Record<string, number>>
  /** Absent in releases that do not announce it. In milliseconds. */
  readonly keepAliveMs?: number
  /** Absent for a factory, whose tools depend on the caller. */
  readonly tools?: readonly DescribedTool[]
  /** Absent for a factory. */
  readonly surface?: Surface
  /** Absent without `serverCard()`. */
  readonly serverCard?: DescribedCard
  /** The definitions that need scopes, such as `tool "delete"`. */
  readonly scoped: readonly string[]
}

export interface DescribedExport {
  readonly name: string
  /** The names of the class and of those that it extends. */
  readonly classes: readonly string[]
  /** The audiences of the servers whose objects it has. Absent for what does not extend `edgeway.Objects`. */
  readonly audiences?: readonly string[]
  /** Whether it is a class of `edgeway/agents`, which is the class of its own sessions. */
  readonly isAgent: boolean
}

export interface WorkerDescription {
  /** The compatibility flags that apply, also those by date. */
  readonly flags: readonly string[]
  /** Why the main module cannot be loaded. */
  readonly error?: string
  readonly exports: readonly DescribedExport[]
  /** Whether the default export has a handler of requests. */
  readonly hasHandler?: boolean
  readonly apps: readonly DescribedApp[]
  /** The secrets that tools of OpenAPI descriptions send for every caller. Absent in releases that do not announce them. */
  readonly sharedSecrets?: readonly string[]
}

export const INSPECTOR = 'edgeway-doctor-inspector.js'

/** How long the main module may take for the request that creates an app which is not created at the start. */
const REQUEST_TIMEOUT_MS = 3000

/** A caller for whom a factory builds its definition. */
export interface ExampleCaller {
  readonly auth?: object
  readonly params: object
}

export function inspectorSource(entry: string, caller?: ExampleCaller): string {
  return `
const apps = []
const caller = ${JSON.stringify(caller)}
globalThis[Symbol.for('edgeway.announce-app')] = (app) => void apps.push(app)
const secrets = new Set()
globalThis[Symbol.for('edgeway.announce-shared-secret')] = (name) => void secrets.add(name)

export default {
  async fetch(_request, env, ctx) {
    const flags = Object.entries(globalThis.Cloudflare?.compatibilityFlags ?? {})
      .filter(([, isOn]) => isOn)
      .map(([name]) => name)
    try {
      const main = await import(${JSON.stringify(`./${entry}`)})
      if (apps.length === 0) await sendRequest(main.default, env, ctx)
      const exports = Object.entries(main).flatMap(describeExport)
      return Response.json({ flags, exports, hasHandler: hasHandler(main.default), apps: await Promise.all(apps.map((app) => describeApp(app, env))), sharedSecrets: [...secrets] })
    } catch (error) {
      return Response.json({ flags, error: String(error), exports: [], apps: [] })
    }
  },
}

/** Some Workers create their app at the first request. */
async function sendRequest(worker, env, ctx) {
  if (typeof worker?.fetch !== 'function') return
  try {
    const response = worker.fetch(new Request('http://127.0.0.1/mcp'), env, ctx)
    await Promise.race([response, new Promise((resolve) => setTimeout(resolve, ${REQUEST_TIMEOUT_MS}))])
  } catch {
    // Bindings are missing here. Only the app is of interest.
  }
}

/** An entrypoint is a class. */
function hasHandler(worker) {
  return typeof worker === 'function' || typeof worker?.fetch === 'function'
}

function describeExport([name, value]) {
  if (typeof value !== 'function') return []
  const classes = []
  for (let at = value; typeof at === 'function'; at = Object.getPrototypeOf(at)) classes.push(at.name)
  const audiences = value[Symbol.for('edgeway.servers')]?.map(({ audience }) => audience)
  return [{ name, classes, audiences, isAgent: typeof value.serve === 'function' }]
}

/** Callers do not learn why a definition fails; its author does. */
async function definitionFor(app, env) {
  try {
    return await app.definitionOf?.(env, caller)
  } catch (error) {
    throw error.cause ?? error
  }
}

async function describeApp(app, env) {
  const definition = app.definition ?? (caller && (await definitionFor(app, env)))
  const { paths, audience, jurisdiction, codeBinding, sessionsOnly } = app
  const { tools, prompts, resources, templates } = definition ?? {}
  const kinds = { tool: tools, prompt: prompts, resource: resources, template: templates }
  return {
    paths,
    audience,
    jurisdiction,
    kinds: app.kinds,
    auth: app.auth && { type: app.auth.type, origins: app.auth.origins, lifetimes: app.auth.lifetimes },
    resultTool: app.resultTool,
    answerTool: app.answerTool,
    holdMs: app.holdMs,
    codeBinding,
    required: app.required,
    asks: app.asks,
    sessionsOnly,
    keepAliveMs: app.keepAliveMs,
    limitPeriods: app.limitPeriods && Object.fromEntries(app.limitPeriods),
    tools: tools && [...tools.values()].map(({ info, task, files }) => ({ name: info.name, inputSchema: info.inputSchema, outputSchema: info.outputSchema, task: task !== undefined, files })),
    serverCard: app.serverCard?.(),
    surface: definition && surfaceOf(definition, app),
    scoped: Object.entries(kinds).flatMap(([kind, definitions]) =>
      [...(definitions?.values() ?? [])]
        .filter(({ scopes }) => scopes.length > 0)
        .map(({ info, scopes }) => kind + ' ' + JSON.stringify(info.name) + ' (' + scopes.join(' ') + ')'),
    ),
  }
}

/** A resource has several keys, and files of skills are listed in no list. */
function surfaceOf({ info, instructions, tools, prompts, resources, templates }, { eventTypes, listedTools }) {
  const infos = (definitions) => [...new Set(definitions)].map((definition) => definition.info)
  const listed = infos([...tools.values()].filter(({ deprecated }) => deprecated?.listed !== false))
  const seen = new Set((listedTools?.() ?? listed).map(({ name }) => name))
  const scopesOf = (definitions, key) =>
    Object.fromEntries([...definitions].filter(({ scopes }) => scopes.length > 0).map(({ info, scopes }) => [info[key], scopes]))
  return {
    info,
    instructions,
    tools: listed,
    hidden: listed.map(({ name }) => name).filter((name) => !seen.has(name)),
    unlisted: infos([...tools.values()].filter(({ deprecated }) => deprecated?.listed === false)),
    prompts: infos(prompts.values()),
    resources: infos([...resources.values()].filter(({ isListed }) => isListed)),
    resourceTemplates: infos(templates),
    events: eventTypes ?? [],
    scopes: {
      tools: scopesOf(tools.values(), 'name'),
      prompts: scopesOf(prompts.values(), 'name'),
      resources: scopesOf(resources.values(), 'uri'),
      resourceTemplates: scopesOf(templates, 'uriTemplate'),
    },
  }
}
`
}
