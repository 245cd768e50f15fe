/** The faults of definitions that the timeline finds too: a module of its own, so that the inspector has no other text of them. */
import { faultGroup } from '../fault.ts'
import { mcp } from '../sources.ts'

export const DEFINITION_ANSWERS = faultGroup('breaks', {
  'list-failed': {
    meaning: 'A list of a declared capability is answered with an error.',
    ...mcp('tools, capabilities', 'server/tools#capabilities'),
    fix: 'Answer the list request of every declared capability, with an empty list if there is nothing, or do not declare it.',
  },
  'tools-not-declared': {
    meaning: 'The server has tools and does not declare the capability.',
    ...mcp('tools, capabilities', 'server/tools#capabilities'),
    fix: 'Send "tools": {} in the capabilities of initialize and of server/discover.',
  },
  'call-failed': {
    meaning: 'A call of a read-only tool without arguments is answered with no result.',
    ...mcp('tools, calling tools', 'server/tools#calling-tools'),
    fix: 'Answer tools/call with a result. An error of the tool itself is a result with isError: true.',
    loses: 'all',
  },
})
