/**
 * Reads `x-mcp-header`: the tool parameters that clients repeat in `Mcp-Param-*` headers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { JsonSchema } from '../../protocol/content.ts'
import { describePath, type SchemaStep } from './check-json-schema.ts'

export interface ParamHeader {
  /** In lower case: `mcp-param-region`. */
  readonly header: string
  /** The `properties` keys from the arguments to the value. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

const KEYWORD = 'x-mcp-header'
/** `1*tchar`. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Collects the annotations of one input schema while `walkSchema` visits it. */
export class ParamHeaderCollector {
  readonly headers: ParamHeader[] = []

  /** @throws {TypeError} for an annotation that the specification forbids, because clients drop such a tool */
  visit(schema: JsonSchema, path: readonly SchemaStep[]): void {
    const name = schema[KEYWORD]
    if (name === undefined) return
    const where = `${KEYWORD} at ${describePath(path)}`
    if (typeof name !== 'string' || !TOKEN.test(name)) {
      throw new TypeError(`${where} must be an HTTP field-name token`)
    }
    const { type } = schema
    if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
      throw new TypeError(`${where} needs a parameter of type string, integer or boolean`)
    }
    const keys = path.flatMap(({ keyword, key }) =>
      keyword === 'properties' && key !== undefined ? [key] : [],
    )
    if (keys.length === 0 || keys.length !== path.length) {
      throw new TypeError(`${where} must be reached through "properties" alone`)
    }
    const header = `mcp-param-${name.toLowerCase()}`
    if (this.headers.some((other) => other.header === header)) {
      throw new TypeError(`${where}: "${name}" is repeated`)
    }
    this.headers.push({ header, path: keys, type })
  }
}
