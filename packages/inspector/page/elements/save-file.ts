/** Lets the browser save a text as a file. */

export function saveFile(name: string, parts: readonly string[], type: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([...parts], { type }))
  link.download = name
  link.click()
  // The browser has read it when the page goes on.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
