/** Labels of accounts: text of a service or a person, which models and people read. */
import { untrustedText } from '../../pages/untrusted-text.ts'

const MAX_CHARACTERS = 64

/** What text formats and markup give a meaning to. */
const MARKUP = /[<>&"`*[\]|#\\{}]/g

/** Empty for a text that has nothing else. */
export function cleanLabel(text: string): string {
  return untrustedText(text.replace(MARKUP, ' ').replaceAll('\uFFFD', ' '), MAX_CHARACTERS)
    .replaceAll('\uFFFD', '')
    .trim()
}
