/** Comparison without case, for names of ASCII letters. */

/**
 * Changes ASCII letters alone. `toLowerCase` maps other characters to ASCII letters too, such as the
 * Kelvin sign to `k`, so that two different names would be equal.
 */
export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
