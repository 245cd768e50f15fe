/** Faults of the names, titles, hints, arguments and schemas of tools, and of the size of lists. */
import { directoryFaults } from '../fault.ts'
import { advice, claude, openai } from '../sources.ts'

const HINTS = {
  ...claude('tool annotations', 'review'),
  ...openai('tool annotations (annotations_required)', 'errors'),
}
const CLAUDE_NAMES = claude('tool names', 'review')
const CLAUDE_SCAN = claude('every tool succeeds with valid input', 'review')
const OPENAI_SCAN = openai('scan of the tools (scan_required)', 'errors')
const SCAN = { ...CLAUDE_SCAN, ...OPENAI_SCAN }

export const TOOLS = directoryFaults(SCAN, {
  'tool-title-missing': {
    meaning: 'A tool has no title.',
    fix: 'Give the tool a title that people understand, such as title: "Search notes".',
    directories: claude('every tool has a title', 'submission'),
  },
  'tool-description-missing': {
    meaning: 'A tool has no description.',
    fix: 'Say in one or two sentences what the tool does and when it is of use.',
    directories: {
      ...claude('tool descriptions', 'review'),
      ...openai('clear and accurate descriptions', 'guidelines', 'warning'),
    },
  },
  'tool-hints-missing': {
    meaning: 'A tool leaves out hints that the directory requires.',
    fix: 'Set annotations, such as { readOnlyHint: true, destructiveHint: false, openWorldHint: false } for a tool that only reads.',
    directories: HINTS,
  },
  'tool-hints-contradict': {
    meaning: 'A tool is both read-only and destructive.',
    fix: 'Set destructiveHint: false if the tool changes nothing, and readOnlyHint: false if it deletes or overwrites.',
    directories: HINTS,
  },
  'tool-hint-idempotent': {
    meaning: 'A read-only tool says that each further call has a further effect.',
    fix: 'Leave out idempotentHint of a tool with readOnlyHint: true, or set it to true.',
    directories: advice(HINTS),
  },
  'tool-hint-against-name': {
    meaning: 'A hint contradicts the verb in the name of the tool.',
    fix: 'Correct the hint, or rename the tool after what it does. A tool that deletes has readOnlyHint: false and destructiveHint: true.',
    directories: HINTS,
  },
  'tool-hint-doubtful': {
    meaning: 'A hint is unusual for the verb in the name of the tool.',
    fix: 'Check the hint. A tool that only reads has readOnlyHint: true. One that sends or publishes to the outside has openWorldHint: true.',
    directories: advice(HINTS),
  },
  'tool-name-too-long': {
    meaning: 'The name of a tool has more than 64 characters.',
    fix: 'Use at most 64 characters.',
    directories: { ...CLAUDE_NAMES, ...OPENAI_SCAN },
  },
  'tool-name-characters': {
    meaning: 'The name of a tool has other characters than letters, digits, "_", "-" and ".".',
    fix: 'Use only A-Z, a-z, 0-9, "_" and "-" in the names of tools.',
    directories: { ...CLAUDE_NAMES, ...OPENAI_SCAN },
  },
  'tool-name-repeated': {
    meaning: 'Two tools have the same name.',
    fix: 'Give each tool a name of its own.',
    directories: { ...CLAUDE_NAMES, ...OPENAI_SCAN },
  },
  'tool-reads-and-writes': {
    meaning:
      'A tool both reads and writes, by an argument, or as a tool for any request or any other tool.',
    fix: 'Make a tool of each operation, such as get_note, create_note and delete_note, each with its own hints. `call_tool` of `search()` is such a tool: serve the directory an app without `search()`.',
    directories: claude('no tool mixes reading and writing', 'review'),
  },
  'tool-argument-free-form': {
    meaning:
      'A tool takes a free path, query or body, and its description does not name the API that receives it.',
    fix: 'Name or link the API in the description of the tool, such as "Runs a query in the GraphQL API of Example (https://example.com/docs/api)". Better: make a tool of each operation.',
    directories: claude('free-form arguments', 'review'),
  },
  'tool-argument-credential': {
    meaning: 'A tool takes a key, a token or a password as an argument.',
    fix: 'Remove the argument. Let people sign in by OAuth, and keep keys of other services in secrets of the server. Link to a page of the service for a new password.',
    directories: {
      ...claude('no pasted tokens or keys', 'authentication'),
      ...openai('no API keys, passwords or codes of a sign-in', 'guidelines'),
    },
  },
  'tool-argument-conversation': {
    meaning: 'A tool takes what the person and the model have said, or what the model remembers.',
    fix: 'Remove the argument, or take only what this call needs, such as a title, a query or the text to be saved.',
    directories: {
      ...claude('no collection of conversation data, memory or history', 'review'),
      ...openai('no chat log', 'guidelines'),
    },
  },
  'tool-moves-money': {
    meaning: 'A tool moves money, cryptocurrency or other assets.',
    fix: 'Leave the tool out of what is listed there. Prepare the transaction, and return a link to the page where the person confirms it.',
    directories: claude('no tool moves money, cryptocurrency or assets', 'review'),
  },
  'tool-generates-media': {
    meaning: 'A tool generates images, video or audio with a model.',
    fix: 'Leave the tool out of what is listed there. Diagrams, charts and mock-ups are accepted: say in the description that the tool draws one.',
    directories: claude('no generated images, video or audio', 'review'),
  },
  'tool-input-not-object': {
    meaning: 'The root of the inputSchema of a tool is not "type": "object".',
    fix: 'Set "type": "object" at the root. A tool without arguments has { "type": "object", "additionalProperties": false }.',
  },
  'tool-input-composed': {
    meaning:
      'The inputSchema of a tool has oneOf, anyOf, allOf or if at its root, with which Claude Code leaves out the tool.',
    fix: 'Describe all arguments as properties of one object, and check their combination in the handler. Properties may have these keywords.',
    directories: { ...CLAUDE_SCAN, ...advice(OPENAI_SCAN) },
  },
  'tool-input-too-large': {
    meaning:
      'The inputSchema of a tool is larger than 16,384 bytes, with which Claude leaves out the tool.',
    fix: 'Shorten descriptions and enumerations, move repeated parts to $defs, or split the tool.',
    directories: { ...CLAUDE_SCAN, ...advice(OPENAI_SCAN) },
  },
  'tool-output-not-object': {
    meaning:
      'The root of the outputSchema of a tool is not "type": "object", with which clients hide the tool.',
    fix: 'Set "type": "object" at the root, and return a list, a text or a union as a member of that object.',
    directories: { ...CLAUDE_SCAN, ...advice(OPENAI_SCAN) },
  },
  'tool-output-composed': {
    meaning:
      'The outputSchema of a tool has oneOf, anyOf, allOf or if at its root, with which Claude Code leaves out the tool.',
    fix: 'Describe the result as properties of one object, which may have these keywords.',
    directories: { ...CLAUDE_SCAN, ...advice(OPENAI_SCAN) },
  },
  'tool-output-missing': {
    meaning: 'A tool has no outputSchema.',
    fix: 'Declare an outputSchema, and return a value that matches it.',
    directories: openai('output schemas are recommended', 'review', 'warning'),
  },
  'list-too-large': {
    meaning: 'A list has more than 150,000 characters.',
    fix: 'Offer fewer tools, prompts or resources, shorten descriptions and schemas, and put resources behind a template.',
    directories: {
      ...claude('answers of reasonable size', 'review'),
      ...advice(OPENAI_SCAN),
    },
  },
  'tool-call-failed': {
    meaning: 'A tool fails with valid input.',
    fix: 'Let each input that the inputSchema accepts succeed. Where the input is at fault, return a result with isError and a text that says what to change.',
  },
  'result-too-large': {
    meaning: 'The result of a call has more than 150,000 characters, which Claude cuts.',
    fix: 'Page or shorten results, and say in the text what was left out.',
    directories: claude('answers of reasonable size', 'review'),
  },
  'list-entry-invalid': {
    meaning: 'An entry of a list is not valid, so clients reject the list.',
    fix: 'Correct the member that the message names. Leave out optional members instead of sending null.',
  },
  'list-incomplete': {
    meaning: 'A list cannot be read to its end.',
    fix: 'Answer each page with the list as an array. Send no nextCursor on the last page, and another one on each page before.',
  },
  'lists-not-read': {
    meaning: 'The tools could not be read, so the directory cannot scan them.',
    fix: 'Examine again with --login or --token if the server asks for a token. Otherwise run edgeway doctor URL without --for, and correct what it finds.',
  },
  'behaviour-depends-on-client': {
    meaning: 'The server treats a client of another name otherwise.',
    fix: 'Serve every client the same. Decide by the capabilities and the token of a request, never by the name or version in clientInfo.',
    directories: claude('behaviour does not depend on clientInfo', 'review'),
  },
})
