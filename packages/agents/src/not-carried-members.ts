/** The members of an agent of the Agents SDK that Edgeway does not have, each with what to do instead. */

const DATABASE = 'keep data in a binding of your own, such as D1, KV or a Durable Object'
const LATER = 'use a Workflow, a Queue or a Cron Trigger'
const CONNECTIONS = 'an agent answers MCP requests and has no connections of its own'
const OBJECT = 'the Durable Object belongs to the session and not to the agent'
const OUTGOING = 'create an MCP client of your own'
const MAIL = 'use the email handler of the Worker'
const CALLER = 'this.getSessionId() names the session, and this.props the caller'
const WORKFLOW = 'use the binding of the Workflow'
const SUB_AGENTS = 'call a Durable Object of your own'
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
export const USED: Readonly<Record<string, string>> = {
  sql: DATABASE,
  name: CALLER,
  sessionAffinity: CALLER,
  schedule: LATER,
  scheduleEvery: LATER,
  getSchedule: LATER,
  getScheduleById: LATER,
  getSchedules: LATER,
  listSchedules: LATER,
  cancelSchedule: LATER,
  queue: LATER,
  dequeue: LATER,
  dequeueAll: LATER,
  dequeueAllByCallback: LATER,
  getQueue: LATER,
  getQueues: LATER,
  runFiber: LATER,
  startFiber: LATER,
  stash: LATER,
  retry: 'call the function again yourself',
  runWorkflow: WORKFLOW,
  getWorkflow: WORKFLOW,
  getWorkflows: WORKFLOW,
  getWorkflowStatus: WORKFLOW,
  sendWorkflowEvent: WORKFLOW,
  approveWorkflow: WORKFLOW,
  rejectWorkflow: WORKFLOW,
  terminateWorkflow: WORKFLOW,
  subAgent: SUB_AGENTS,
  parentAgent: SUB_AGENTS,
  runAgentTool: SUB_AGENTS,
  broadcast: CONNECTIONS,
  getConnection: CONNECTIONS,
  getConnections: CONNECTIONS,
  getWebSocket: CONNECTIONS,
  mcp: OUTGOING,
  addMcpServer: OUTGOING,
  removeMcpServer: OUTGOING,
  getMcpServers: OUTGOING,
  sendEmail: MAIL,
  replyToEmail: MAIL,
  destroy: 'a session ends with DELETE, or when its id expires',
  keepAlive: 'a session object stays in memory while a handler runs',
  keepAliveWhile: 'a session object stays in memory while a handler runs',
  getInitializeRequest: 'getContext().client of edgeway/context is the client',
  updateProps: 'the props are those of the request: change them where they are set',
}

/** Methods that an agent overrides, each with what to do instead. */
export const OVERRIDDEN: Readonly<Record<string, string>> = {
  onRequest: 'answer other requests in the fetch handler of the Worker',
  onConnect: CONNECTIONS,
  onMessage: CONNECTIONS,
  onClose: CONNECTIONS,
  onError: 'errors are reported to telemetry: static edgeway = { telemetry }',
  onEmail: MAIL,
  onAlarm: LATER,
  onFiberRecovered: LATER,
  onWorkflowProgress: WORKFLOW,
  onWorkflowComplete: WORKFLOW,
  onWorkflowError: WORKFLOW,
  onWorkflowEvent: WORKFLOW,
  onStart: 'put the work into init()',
  validateStateChange: 'check the state before setState()',
  getEventStore: 'every stream has its log',
  handleMcpMessage: 'RPC transport does not exist',
  getRpcTransportOptions: 'RPC transport does not exist',
  call: RENAME,
  fetch: 'answer other requests in the fetch handler of the Worker',
  alarm: LATER,
  webSocketMessage: CONNECTIONS,
  webSocketClose: CONNECTIONS,
  webSocketError: CONNECTIONS,
}
