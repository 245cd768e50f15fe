/** Whether a text begins as an HTML page. */
export const isHtml = (text: string): boolean =>
  /^\s*(?:<!doctype html|<html|<\?xml|<head|<body)/i.test(text)
