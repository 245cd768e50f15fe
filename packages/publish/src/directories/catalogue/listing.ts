/** Faults of `directory.json`, and of events. */
import { directoryFaults } from '../fault.ts'
import { claude, openai } from '../sources.ts'

const OPENAI_FORM = openai('final directory submission', 'errors')
const FORMS = { ...claude('the form', 'submission'), ...OPENAI_FORM }

export const LISTING = directoryFaults(FORMS, {
  'listing-field-missing': {
    meaning: 'directory.json has not what the directory requires.',
    fix: 'Add the members that the message names.',
  },
  'listing-field-too-long': {
    meaning: 'A text of directory.json is longer than the directory accepts.',
    fix: 'Shorten it. One under claude or openai replaces the one for all.',
  },
  'listing-field-invalid': {
    meaning: 'A member of directory.json has a value that the directory refuses.',
    fix: 'Correct it as the message says.',
  },
  'listing-too-many': {
    meaning: 'A list of directory.json has more entries than the directory accepts, or fewer.',
    fix: 'Keep the number of entries that the message names.',
  },
  'listing-prompt-repeated': {
    meaning: 'Two starter prompts of directory.json are the same.',
    fix: 'Write different starter prompts.',
    directories: OPENAI_FORM,
  },
  'listing-contrast-low': {
    meaning: 'A brand colour has too little contrast.',
    fix: 'Choose colours with a contrast of 2:1 at least, brandColor to white and brandColorDark to #212121.',
    directories: OPENAI_FORM,
  },
  'listing-cases': {
    meaning: 'directory.json has not exactly five positive and three negative cases.',
    fix: 'Write five cases in cases.positive and three in cases.negative.',
    directories: openai('test cases', 'submission'),
  },
  'listing-case-tool': {
    meaning: 'A case of directory.json names the wrong tools.',
    fix: 'Name in each positive case the tools that are called, as the server lists them, and none in a negative case.',
    directories: openai('test cases', 'submission'),
  },
  'listing-justification': {
    meaning: 'A hint of a tool has no justification in directory.json.',
    fix: 'Write readOnly, openWorld and destructive of each tool in justifications.',
    directories: openai('justification_required', 'errors'),
  },
  'listing-screenshots': {
    meaning: 'directory.json has screenshots that the directory does not accept.',
    fix: 'A server without views has none. With views, Claude wants three to five PNG files, and OpenAI a PNG or JPEG file for each starter prompt.',
    directories: {
      ...claude('screenshots of views', 'submission'),
      ...openai('screenshots_not_allowed', 'errors'),
    },
  },
})

const EVENT_SCAN = openai('events are scanned beside the tools', 'events')

export const EVENTS = directoryFaults(EVENT_SCAN, {
  'event-name-invalid': {
    meaning: 'The name of an event type is not one that clients can subscribe to.',
    fix: 'Use up to 128 letters, digits, ".", "_", "-" and "/", such as "note.changed", and give each type its own.',
  },
  'event-description-missing': {
    meaning: 'An event type has no description.',
    fix: 'Say in one sentence when the event occurs.',
  },
  'event-schema-not-object': {
    meaning: 'The root of a schema of an event type is not "type": "object".',
    fix: 'Set "type": "object" at the root of inputSchema and payloadSchema.',
  },
  'event-schema-open': {
    meaning: 'The inputSchema of an event type accepts arguments that it does not name.',
    fix: 'Set "additionalProperties": false, so that a mistyped filter is refused and not ignored.',
    directories: openai('events, filters in inputSchema', 'events', 'warning'),
  },
})
