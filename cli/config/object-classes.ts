/** The Durable Object classes of Edgeway, and what a project writes for each. */

export interface ObjectClass {
  /** The name of its binding, unless an option gives another one. */
  readonly binding: string
  /** What brings the class to `edgeway.objects`, as an option of `createEdgeway`. */
  readonly broughtBy: string
}

export const OBJECT_CLASSES: ReadonlyMap<string, ObjectClass> = new Map([
  ['McpKeyring', { binding: 'MCP_KEYRING', broughtBy: 'features: [asks()]' }],
  ['McpLog', { binding: 'MCP_LOG', broughtBy: 'features: [timeline()]' }],
  ['McpHub', { binding: 'MCP_HUB', broughtBy: 'features: [changes()]' }],
  ['McpState', { binding: 'MCP_STATE', broughtBy: 'features: [state()]' }],
  ['McpAccount', { binding: 'MCP_ACCOUNT', broughtBy: 'auth: embedded(…)' }],
  ['McpSession', { binding: 'MCP_SESSION', broughtBy: 'features: [sessions()]' }],
  ['McpTask', { binding: 'MCP_TASK', broughtBy: 'features: [tasks()]' }],
  ['McpEvents', { binding: 'MCP_EVENTS', broughtBy: 'features: [events({ types })]' }],
])
