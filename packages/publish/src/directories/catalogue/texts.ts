/** Faults of the texts that the model reads. */
import { directoryFaults } from '../fault.ts'
import { claude, openai } from '../sources.ts'

const TEXT_RULES = {
  ...claude('descriptions describe and do not instruct', 'review'),
  ...openai('clear and accurate descriptions', 'guidelines'),
}

export const TEXTS = directoryFaults(TEXT_RULES, {
  'text-instructs-model': {
    meaning: 'A text gives the model instructions instead of describing.',
    fix: 'Describe what it does and when it is of use. Leave out orders to the model, other tools and software, and what is to be kept from the person.',
  },
  'text-promotes': {
    meaning: 'A text promotes a product.',
    fix: 'Leave out comparisons, offers and praise. Directories have fields for the description of the product.',
  },
  'text-hidden': {
    meaning: 'A text has parts that people cannot see.',
    fix: 'Remove the characters or comments that the message names. Type the text again where they came with a copy.',
  },
  'text-markup': {
    meaning: 'A text has markup of HTML, or an image of another site.',
    fix: 'Write plain text. Put names of elements without their angle brackets.',
  },
  'text-encoded': {
    meaning: 'A text has an encoded part that people cannot read.',
    fix: 'Write the text in plain words, or remove it. Put data into resources.',
  },
})
