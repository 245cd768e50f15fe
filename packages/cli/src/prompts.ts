/** The prompts of the library. */
import * as library from '@clack/prompts'

/** Called where a prompt is shown: a bundle would leave out what a module does when it is loaded. */
export function openPrompts(): Pick<typeof library, 'confirm' | 'isCancel' | 'select' | 'text'> {
  // Ctrl-D closes the reader of the keys. A prompt that waited would be left, and Node would end with code 13.
  library.updateSettings({ aliases: { '\u0004': 'cancel' } })
  return library
}
