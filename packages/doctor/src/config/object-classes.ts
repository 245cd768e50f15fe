/** The Durable Object class of Edgeway as a project has it, and how projects had its objects before. */

/** The binding of the class. */
export const OBJECTS_BINDING = 'MCP_OBJECTS'

/** The name of the class, unless the entry exports it under another one. */
export const OBJECTS_CLASS = 'McpObjects'

const KINDS = ['Hub', 'Keyring', 'Session', 'Task', 'State', 'Account', 'Events', 'Log']

/** The bindings of the form with a class for each kind of objects. */
export const OLD_BINDINGS: readonly string[] = KINDS.map((kind) => `MCP_${kind.toUpperCase()}`)

/** What the error of a main module in that form names. */
export const OLD_EXPORT = new RegExp(`\\b(?:Mcp(?:${KINDS.join('|')})|UnusedObject)\\b`)
