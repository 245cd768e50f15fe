/** Faults of tools, prompts, resources and the results of calls. */
import { WITH_VIEWS } from '../clients.ts'
import { faultGroup } from '../fault.ts'
import { apps, CLAUDE_CONNECTORS, issue, legacy, mcp, modern } from '../sources.ts'
import { DEFINITION_ANSWERS } from './definition-answers.ts'

export const DEFINITIONS = faultGroup('breaks', {
  'list-failed': DEFINITION_ANSWERS['list-failed'],
  'list-result-invalid': {
    meaning:
      'A list or one of its entries does not match the schema, so clients reject the whole list.',
    ...legacy('schema', 'schema#listtoolsresult'),
    fix: 'Correct the member that the message names, and leave out optional members instead of sending null. In the newest revision, a list has resultType "complete", ttlMs (a number) and cacheScope ("public" or "private").',
  },
  'list-does-not-end': {
    meaning: 'The pages of a list repeat, or there are too many of them.',
    ...mcp('pagination, response format', 'server/utilities/pagination'),
    fix: 'Send no nextCursor on the last page, and another one on each page before.',
  },
  'tools-not-declared': DEFINITION_ANSWERS['tools-not-declared'],
  'tool-schema-not-object': {
    meaning:
      'The inputSchema of a tool is missing or its root is not "type": "object", so clients reject the whole list.',
    ...mcp('schema, Tool', 'server/tools#tool'),
    fix: 'Set "type": "object" at the root. A tool without arguments has { "type": "object", "additionalProperties": false }.',
  },
  'tool-schema-too-large': {
    meaning: 'The inputSchema of a tool is larger than 16,384 bytes.',
    clause: 'Claude drops tools with an inputSchema of more than 16,384 bytes',
    source: issue('anthropics/claude-code', 77296),
    fix: 'Make it smaller than 16,384 bytes: shorten descriptions and enumerations, move repeated parts to $defs, or split the tool.',
    loses: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
  },
  'tool-schema-invalid': {
    meaning: 'The inputSchema of a tool is not a valid JSON Schema.',
    clause: 'MCP, tools, Tool; the interface of the model refuses every request with such a tool',
    source: issue('anthropics/claude-code', 31800),
    fix: 'Correct the keyword that the message names, as JSON Schema 2020-12 defines it. "required" is a list of names beside "properties", and a pattern has the syntax of ECMA-262.',
    loses: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
    degrades: 'all',
  },
  'tool-output-invalid': {
    meaning:
      'The outputSchema of a tool is not a valid JSON Schema, or has a $ref to a definition that it does not contain.',
    clause:
      'JSON Schema 2020-12 §4.3.1; the TypeScript SDK 1.x rejects the list, and later versions each call',
    source: 'https://json-schema.org/draft/2020-12/json-schema-core#section-4.3.1',
    fix: 'Correct the keyword that the message names, as JSON Schema 2020-12 defines it. "required" is a list of names beside "properties", an enum has at least one value, a pattern has the syntax of ECMA-262, and a $ref leads to "#/$defs/NAME" of the same schema.',
    breaks: ['Cursor', 'Gemini CLI'],
    loses: ['Claude Code', 'Inspector'],
    degrades: 'all',
  },
  'tool-schema-composed': {
    meaning: 'The inputSchema of a tool has oneOf, anyOf, allOf or if at its root.',
    clause: 'Claude Code leaves out such tools without a message',
    source: issue('anthropics/claude-code', 95504),
    fix: 'Describe all arguments as properties of one object, and check their combination in the handler. Properties may have these keywords.',
    loses: ['Claude Code'],
  },
  'tool-output-not-object': {
    meaning: 'The root of the outputSchema of a tool is not "type": "object".',
    clause:
      'MCP, schema, Tool: with sessions, clients of the TypeScript SDK reject the whole list; Claude hides the tool',
    source: issue('trycua/cua', 2977),
    fix: 'Set "type": "object" at the root, and return a list, a text or a union as a member of that object.',
    breaks: ['Cursor', 'Gemini CLI', 'Inspector'],
    loses: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
    degrades: 'all',
  },
  'tool-output-composed': {
    meaning: 'The outputSchema of a tool has oneOf, anyOf, allOf or if at its root.',
    clause: 'Claude Code leaves out such tools without a message',
    source: issue('anthropics/claude-code', 95504),
    fix: 'Describe the result as properties of one object, which may have these keywords.',
    loses: ['Claude Code'],
  },
  'tool-schema-reference': {
    meaning: 'The inputSchema of a tool has a $ref to a definition that it does not contain.',
    clause: 'JSON Schema 2020-12 §8.2.3.1',
    source: 'https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3.1',
    fix: 'Copy the definition into $defs of the same schema and refer to it as "#/$defs/NAME".',
    degrades: 'all',
  },
  'tool-schema-unportable': {
    meaning:
      'The inputSchema of a tool has a keyword that hosts refuse, with every request that has the tool, or read as something else.',
    clause:
      'VS Code requires items in each array; the interfaces of OpenAI refuse lookaround and "[" in a class; Claude Code reads "additionalProperties": {} as false',
    source: issue('microsoft/vscode', 246119),
    fix: 'Give each array "items" that is an object, with prefixItems beside it for a tuple. Repeat no member of enum, required or type. Check patterns with lookaround or "[" in a class in the handler, write true for "additionalProperties": {}, and remove a propertyNames that permits every name.',
    loses: ['VS Code', 'ChatGPT'],
    degrades: ['Claude Code'],
  },
  'tool-property-names': {
    meaning:
      'An argument of a tool has a name with other characters than letters, digits, "_", "." and "-", or with more than 64.',
    clause: 'The interface of the model refuses every request with such a tool',
    source: issue('anthropics/claude-code', 79418),
    fix: 'Rename the argument, for example "filter[name]" to "filter_name".',
    loses: ['Claude Code'],
  },
  'tool-name-too-long': {
    meaning: 'The name of a tool has more than 64 characters.',
    clause: 'The interfaces of models allow 64 characters; MCP, tools, tool names',
    source: modern('server/tools#tool-names'),
    fix: 'Use at most 64 characters. Clients put the name of the server before it.',
    degrades: 'all',
  },
  'tool-name-dropped': {
    meaning:
      'The name of a tool has more than 128 characters together with the prefix mcp__SERVER__.',
    clause: 'Claude Code drops tools with a longer name; MCP, tools, tool names',
    source: modern('server/tools#tool-names'),
    fix: 'Use at most 64 characters in the name of the tool.',
    loses: ['Claude Code'],
    degrades: 'all',
  },
  'tool-name-characters': {
    meaning: 'The name of a tool has other characters than letters, digits, "_" and "-".',
    clause: 'The interfaces of models allow A-Z, a-z, 0-9, "_" and "-"; MCP, tools, tool names',
    source: modern('server/tools#tool-names'),
    fix: 'Use only A-Z, a-z, 0-9, "_" and "-" in the names of tools.',
    degrades: 'all',
  },
  'tool-name-repeated': {
    meaning: 'Two tools have the same name.',
    ...mcp('tools, tool names', 'server/tools#tool-names'),
    fix: 'Give each tool a name of its own.',
    degrades: 'all',
  },
  'list-order-changes': {
    meaning: 'Two requests of the same list return the tools in another order.',
    clause: 'MCP, tools, listing tools: the order of a list that did not change stays the same',
    source: modern('server/tools#listing-tools'),
    fix: 'Sort the tools. Another order invalidates the cached prompt of the model.',
    degrades: 'all',
  },
  'view-not-readable': {
    meaning: 'A tool names a view that resources/read does not return.',
    ...apps('UI resource format', 'ui-resource-format'),
    fix: 'Answer resources/read for the ui:// address in _meta.ui.resourceUri of the tool with the HTML as text or blob.',
    loses: WITH_VIEWS,
  },
  'view-type-wrong': {
    meaning: 'The view of a tool has another type than text/html;profile=mcp-app.',
    ...apps('UI resource format', 'ui-resource-format'),
    fix: 'Set "mimeType": "text/html;profile=mcp-app" in the contents that resources/read returns, and in resources/list.',
    loses: WITH_VIEWS,
  },
  'view-policy-invalid': {
    meaning:
      'The policy of the view of a tool has an entry that is not an origin, which hosts leave out or refuse.',
    ...apps('UI resource format, csp', 'ui-resource-format'),
    fix: 'Use lists of origins such as "https://api.example.com" or "https://*.example.com", without a path, in connectDomains, resourceDomains, frameDomains and baseUriDomains.',
    degrades: WITH_VIEWS,
  },
  'call-failed': DEFINITION_ANSWERS['call-failed'],
  'call-result-invalid': {
    meaning: 'The result of a call does not match the schema.',
    ...mcp('tools, tool result', 'server/tools#tool-result'),
    fix: 'Send content as an array of blocks, each with the members of its type, and structuredContent that matches the outputSchema, if there is one. Leave out optional members instead of sending null. In the newest revision, a result has resultType.',
    loses: 'all',
  },
  'structured-without-text': {
    meaning: 'The result of a call has structuredContent and no text.',
    clause:
      'Claude passes only the text blocks of content to the model; MCP, tools, structured content',
    source: modern('server/tools#structured-content'),
    fix: 'Repeat structuredContent as JSON in a text block of content.',
    loses: ['Claude (web)', 'Claude Desktop'],
  },
  'result-too-long': {
    meaning: 'The result of a call is longer than the client passes to the model.',
    clause: 'Claude cuts results at about 150,000 characters',
    source: CLAUDE_CONNECTORS,
    fix: 'Page or shorten results to less than 150,000 characters, and say in the text what was left out.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
  },
})
