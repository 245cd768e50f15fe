/** Rules of arguments: those that choose between reading and writing, free-form ones, secrets, and conversations. */
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import { firstOf, quoted } from '../../../../text/src/quoted.ts'
import type { Rule } from '../finding.ts'
import { conversationIn } from './conversation.ts'
import { credentialsIn } from './credentials.ts'
import { namesAnApi } from './names-an-api.ts'
import { ofTools } from './of-tools.ts'
import { type Argument, argumentsOf, choicesOf } from './schema-walk.ts'
import { wordsOf } from './verbs.ts'

export const toolArguments: Rule = ofTools((tool, add) => {
  const all = argumentsOf(tool.inputSchema)
  const mixed = mixedIn(tool, all)
  const free = freeFormIn(tool, all)
  if (mixed !== undefined) {
    add('tool-reads-and-writes', mixed)
  } else if (free.length > 0 && !namesAnApi(tool.description ?? '')) {
    // A tool that is split has other arguments, so this is no second fault of the one above.
    add('tool-argument-free-form', `${quoted(tool.name)} takes ${firstOf(free.map(quoted))}`)
  }
  const about = `${wordsOf(tool.name).join(' ')} ${tool.description ?? ''}`
  const { certain, doubtful } = credentialsIn(tool.inputSchema, about)
  const [keys, isDoubtful] = certain.length > 0 ? [certain, false] : [doubtful, true]
  if (keys.length > 0) {
    const seen = `${quoted(tool.name)} takes ${firstOf(keys.map(quoted))}`
    add('tool-argument-credential', seen, isDoubtful)
  }
  const conversation = conversationIn(tool.inputSchema)
  if (conversation !== undefined) {
    const { path, isDoubtful } = conversation
    const seen = `${quoted(tool.name)} takes ${quoted(path)}`
    add('tool-argument-conversation', seen, isDoubtful)
  }
})

/** An argument that chooses the operation. Others, such as a permission, may have `read` and `write` too. */
const OPERATION =
  /^(?:http[_-]?)?(?:methods?|verb|actions?|operations?|op|command|cmd|sub[_-]?command|request[_-]?type|operation[_-]?type|operation[_-]?name|mode)$/i

/** An argument that has the method of a request, also without an enumeration. */
const METHOD = /^(?:http[_-]?|request[_-]?)?(?:method|verb)$/i

/** A tool that finds entries by an operation. Others, such as `manage_notes`, do the operation. */
const FINDS =
  /^(?:get|list|search|find|filter|query|count)[_-]|^(?:get|list|search|find|filter|query|count)[A-Z]/

const READING = words(
  'get head list read search find view fetch show query describe count lookup export select load download status retrieve',
)
const WRITING = words(
  'post put patch delete create update remove insert write set add send upsert archive edit append clear publish rename move destroy save upload replace drop import assign cancel close',
)

const CATCH_ALL =
  /^(?:(?:call|make|execute|send|invoke|run|do|raw|generic|any|custom)_)*(?:api|http|rest|raw|graphql|generic|any)(?:_(?:api|http|rest|graphql))?_(?:request|call|requests|proxy|query|operation|endpoint)$|^(?:call|execute|invoke|use|access|query)_(?:any_)?(?:the_)?(?:api|http|rest|graphql|endpoint|any_api|api_endpoint)$|^(?:api|http|rest|graphql)$/

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '))
}

/** How a tool both reads and writes, as a sentence; undefined for one that does not. */
function mixedIn(tool: Tool, all: readonly Argument[]): string | undefined {
  const choices = new Map<string, string[]>()
  for (const { name, schema } of all) {
    if (OPERATION.test(name))
      choices.set(name, [...(choices.get(name) ?? []), ...choicesOf(schema)])
  }
  const isReading = tool.annotations?.readOnlyHint === true && FINDS.test(tool.name)
  for (const [name, values] of choices) {
    // Of a tool that reads, it selects entries, such as those of an audit log.
    if (isReading && !METHOD.test(name)) continue
    const reads = values.find((value) => READING.has(wordsOf(value)[0] ?? ''))
    const writes = values.find((value) => WRITING.has(wordsOf(value)[0] ?? ''))
    if (reads !== undefined && writes !== undefined) {
      return `${quoted(name)} of ${quoted(tool.name)} may be ${quoted(reads)} and ${quoted(writes)}`
    }
  }
  if (tool.annotations?.readOnlyHint === true) return undefined
  if (callsByName(tool.inputSchema)) {
    return `${quoted(tool.name)} calls any tool by its name. If it is that of \`search()\`, serve this directory an app without this feature`
  }
  const method = all.find(({ name, schema }) => METHOD.test(name) && choicesOf(schema).length === 0)
  if (method !== undefined && all.some(({ name }) => TARGET.test(name))) {
    return `${quoted(method.name)} of ${quoted(tool.name)} may be any method`
  }
  // An enumeration of reading methods alone makes the tool one that reads.
  if (choices.size > 0 && [...choices.values()].every((values) => values.length > 0))
    return undefined
  return CATCH_ALL.test(wordsOf(tool.name).join('_'))
    ? `${quoted(tool.name)} sends any request`
    : undefined
}

/** Whether the arguments are the name of a tool and its arguments, as those of `search()` are. */
function callsByName(inputSchema: Tool['inputSchema']): boolean {
  const all = new Map(argumentsOf(inputSchema).map(({ name, schema }) => [name, schema]))
  const name = all.get('name') ?? all.get('tool') ?? all.get('tool_name')
  const given = all.get('arguments') ?? all.get('args')
  if (all.size !== 2 || name === undefined || given === undefined) return false
  return isFree(name) && isFree(given) && given.type === 'object'
}

const TARGET =
  /^(?:api[_-]?|request[_-]?|relative[_-]?|full[_-]?)?(?:path|url|uri|endpoint|route)$/i

/** Arguments in the language of an API. */
const LANGUAGE =
  /^(?:(?:raw|custom)[_-]?)?(?:sql|soql|jql|cql|kql|gql|graphql|cypher|sparql|promql|logql|odata)(?:[_-]?(?:query|statement|filter|string))?$/i

/** What belongs to a request alone. */
const REQUEST =
  /^(?:http[_-]?)?(?:headers|body|request[_-]?body|payload|query[_-]?(?:params|parameters|string)|json[_-]?body|raw[_-]?body)$/i

/** The free-form arguments of a tool. A `path`, `url` or `query` is one only where the tool sends a request. */
function freeFormIn(tool: Tool, all: readonly Argument[]): readonly string[] {
  const free = all.filter(({ schema }) => isFree(schema))
  const named = (pattern: RegExp) =>
    free.map(({ name }) => name).filter((name) => pattern.test(name))
  const languages = named(LANGUAGE)
  const isQuery = /\b(?:sql|graphql|soql|jql|cypher|sparql)\b/i.test(
    `${tool.description ?? ''} ${wordsOf(tool.name).join(' ')}`,
  )
  const queries = isQuery ? named(/^(?:query|statement|expression)$/i) : []
  const targets = named(TARGET)
  const parts = named(REQUEST)
  const sendsRequests =
    parts.some((name) => /headers|request|payload|params|raw/i.test(name)) ||
    all.some(({ name }) => METHOD.test(name)) ||
    targets.some((name) => /endpoint|api|request|route/i.test(name)) ||
    wordsOf(tool.name).some((word) => /^(?:request|endpoint|api|proxy)$/.test(word)) ||
    /\b(?:sends?|makes?|issues?|performs?|executes?) (?:\w+ ){0,4}requests?\b|\b(?:any|api) endpoint\b|\bthe api\b/i.test(
      tool.description ?? '',
    )
  const requests = sendsRequests && targets.length > 0 ? [...targets, ...parts] : []
  return [...new Set([...languages, ...queries, ...requests])]
}

/** Text without a form, or an object without members. */
function isFree(schema: Members): boolean {
  if (choicesOf(schema).length > 0 || 'pattern' in schema) return false
  const { type, properties } = schema
  const types = Array.isArray(type) ? type : [type]
  return (
    (types.includes('object') && properties === undefined) ||
    types.includes('string') ||
    type === undefined
  )
}
