/** An argument as a person types it in a command. */
export const shellArgument = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `"${text.replace(/["\\$`]/g, '\\$&')}"`
