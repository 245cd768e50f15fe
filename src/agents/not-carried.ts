/** What an agent of the Agents SDK can do and Edgeway cannot: found when the class is served. */
import type { SessionRpc } from '../../durable-objects/session/session-object.ts'

const GUIDE = 'node_modules/edgeway/docs/guides/moving-from-mcp-agent.md#what-does-not-carry'

/** @param instead what to do instead, as a clause */
export function notCarried(subject: string, instead: string): TypeError {
  return new TypeError(`${subject} is not carried: ${instead}. See ${GUIDE}`)
}

const DATABASE = 'keep data in a binding of your own, such as D1, KV or a Durable Object'
const LATER = 'use a Workflow, a Queue or a Cron Trigger'
const CONNECTIONS = 'an agent answers MCP requests and has no connections of its own'
const OBJECT = 'the Durable Object belongs to the session and not to the agent'
const OUTGOING = 'create an MCP client of your own'
const MAIL = 'use the email handler of the Worker'
const RENAME = 'the session object has a method of this name, so rename yours'

/** Members of `this.ctx`, each with what to do instead. */
export const OBJECT_MEMBERS = {
  storage: DATABASE,
  id: 'this.getSessionId() names the session',
  abort: OBJECT,
  acceptWebSocket: CONNECTIONS,
  blockConcurrencyWhile: 'await the work in init()',
  container: OBJECT,
  getWebSockets: CONNECTIONS,
  setWebSocketAutoResponse: CONNECTIONS,
} as const

/** Inherited members that an agent uses, each with what to do instead. */
const USED: Readonly<Record<string, string>> = {
  sql: DATABASE,
  schedule: LATER,
  scheduleEvery: LATER,
  getSchedule: LATER,
  getScheduleById: LATER,
  getSchedules: LATER,
  listSchedules: LATER,
  cancelSchedule: LATER,
  queue: LATER,
  dequeue: LATER,
  getQueue: LATER,
  runFiber: LATER,
  startFiber: LATER,
  runWorkflow: 'call the binding of the Workflow',
  broadcast: CONNECTIONS,
  getConnection: CONNECTIONS,
  getConnections: CONNECTIONS,
  getWebSocket: CONNECTIONS,
  mcp: OUTGOING,
  addMcpServer: OUTGOING,
  sendEmail: MAIL,
  replyToEmail: MAIL,
  destroy: 'a session ends with DELETE, or when its id expires',
  keepAliveWhile: 'a session object stays in memory while a handler runs',
  updateProps: 'the props are those of the request: change them where they are set',
}

/** The RPC of the session object. */
const RPC_METHODS: Readonly<Record<keyof SessionRpc, string>> = {
  post: RENAME,
  terminate: RENAME,
  endRevoked: RENAME,
  taskChanged: RENAME,
  deliverToRun: RENAME,
  deliveryRefusal: RENAME,
}

/** Methods that an agent overrides, each with what to do instead. */
const OVERRIDDEN: Readonly<Record<string, string>> = {
  onRequest: 'answer other requests in the fetch handler of the Worker',
  onConnect: CONNECTIONS,
  onMessage: CONNECTIONS,
  onClose: CONNECTIONS,
  onError: 'errors are reported to telemetry: static edgeway = { telemetry }',
  onEmail: MAIL,
  onStart: 'put the work into init()',
  validateStateChange: 'check the state before setState()',
  getEventStore: 'every stream has its log',
  handleMcpMessage: 'RPC transport does not exist',
  getRpcTransportOptions: 'RPC transport does not exist',
  fetch: 'answer other requests in the fetch handler of the Worker',
  alarm: LATER,
  webSocketMessage: CONNECTIONS,
  webSocketClose: CONNECTIONS,
  webSocketError: CONNECTIONS,
  ...RPC_METHODS,
}

type AnyClass = abstract new (...args: never[]) => object

/**
 * Looks for what cannot be carried in the methods of a class and in its source, up to its base. What
 * other files do with an instance is found when they do it, see {@link refuseMembers}.
 *
 * @throws {TypeError} that names the member and the guide
 */
export function checkAgent(agentClass: AnyClass, base: AnyClass): void {
  for (let own: AnyClass = agentClass; own !== base; own = Object.getPrototypeOf(own)) {
    const source = String(own)
    const has = (name: string) => Object.hasOwn(own.prototype, name)
    for (const [name, instead] of Object.entries(OVERRIDDEN)) {
      if (has(name)) throw notCarried(`${own.name}.${name}()`, instead)
    }
    for (const [name, instead] of Object.entries(USED)) {
      if (uses(source, `this.${name}`) && !has(name) && !declares(source, name))
        throw notCarried(`this.${name} of ${own.name}`, instead)
    }
    for (const [name, instead] of Object.entries(OBJECT_MEMBERS)) {
      if (uses(source, `this.ctx.${name}`))
        throw notCarried(`this.ctx.${name} of ${own.name}`, instead)
    }
  }
}

/** Whether the source of a class, up to its base, keeps state by `setState` or `initialState`. */
export function keepsState(agentClass: AnyClass, base: AnyClass): boolean {
  for (let own: AnyClass = agentClass; own !== base; own = Object.getPrototypeOf(own)) {
    if (uses(String(own), 'setState') || declares(String(own), 'initialState')) return true
  }
  return false
}

/** Defines the inherited members on the base, so that they throw when they are used. */
export function refuseMembers(base: AnyClass): void {
  for (const [name, instead] of Object.entries(USED)) {
    Object.defineProperty(base.prototype, name, {
      get() {
        throw notCarried(`this.${name}`, instead)
      },
      // An agent may have a member of its own with this name.
      set(value: unknown) {
        Object.defineProperty(this, name, { value, writable: true, configurable: true })
      },
    })
  }
}

function uses(source: string, expression: string): boolean {
  return new RegExp(`\\b${expression.replaceAll('.', '\\.')}\\b`).test(source)
}

/** Whether a class declares a field: its name follows a brace or a line or a semicolon. */
function declares(source: string, field: string): boolean {
  return new RegExp(`[{};\\n]\\s*${field}\\s*[=;\\n}]`).test(source)
}
