/** The prompts of the library. */
import { updateSettings } from '@clack/prompts'

export { confirm, isCancel, select, text } from '@clack/prompts'

// Ctrl-D closes the reader of the keys. A prompt that waited would be left, and Node would end with code 13.
updateSettings({ aliases: { '\u0004': 'cancel' } })
