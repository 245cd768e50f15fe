/** What a tool that makes files says. `npm run without -- files` removes the lines that name it. */
// features: files

export const withFiles = { files: true } as const
