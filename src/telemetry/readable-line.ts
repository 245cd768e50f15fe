/** One event as a line for a person at a terminal. */
type Fields = Readonly<Record<string, unknown>>

/** Fields that the beginning of a line already has, or that a reader at a terminal does not need. */
const OMITTED = ['type', 'startedAt', 'durationMs', 'connection', 'trace', 'error', 'client']

/** `request  tools/call search  ok  12 ms  status=200`, with the text of an error on the lines that follow. */
export function readableLine(fields: Fields): string {
  const { type, durationMs, error, client } = fields
  const first = [fields.httpMethod, fields.method ?? fields.route, fields.kind, fields.name]
  const rest = Object.entries(fields)
    .filter(([key, value]) => !OMITTED.includes(key) && value !== undefined && value !== '')
    .filter(([, value]) => !first.includes(value))
    .map(([key, value]) => `${key}=${isPlain(value) ? value : JSON.stringify(value)}`)
  const parts = [
    `[edgeway] ${type}`,
    first.filter((part) => part !== undefined).join(' '),
    durationMs === undefined ? '' : `${durationMs} ms`,
    rest.join(' '),
    isClient(client) ? `client=${JSON.stringify(`${client.name} ${client.version}`)}` : '',
  ]
  const line = parts.filter((part) => part !== '').join('  ')
  return error === undefined ? line : `${line}\n${String(error)}`
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' ? /^[\w./:-]+$/.test(value) : typeof value !== 'object'
}

function isClient(value: unknown): value is { readonly name: string; readonly version: string } {
  return typeof value === 'object' && value !== null && 'name' in value && 'version' in value
}
