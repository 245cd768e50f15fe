/** The colours of all pages, light and dark. The contrast of each pair is tested. */

export const COLORS = `
:root {
  color-scheme: light dark;
  --page: #f4f5f7;
  --card: #ffffff;
  --line: #d5d9e0;
  --control: #7b8494;
  --text: #1a1f2b;
  --quiet: #545d6d;
  --accent: #1d4fd7;
  --accent-hover: #173fb0;
  --on-accent: #ffffff;
  --warn-back: #fdf3dc;
  --warn-line: #b97a08;
  --warn-text: #5c3d05;
  --bad-back: #fdebeb;
  --bad-line: #c62f2f;
  --bad-text: #8a1c1c;
  --good-back: #e6f5ec;
  --good-line: #2b8a52;
  --good-text: #17532f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10131a;
    --card: #191e28;
    --line: #333b4a;
    --control: #7f8a9e;
    --text: #e8ebf1;
    --quiet: #a7b0c0;
    --accent: #8fb2ff;
    --accent-hover: #b3cbff;
    --on-accent: #0c1733;
    --warn-back: #322812;
    --warn-line: #d09a32;
    --warn-text: #f3dca6;
    --bad-back: #381c1f;
    --bad-line: #e56a6a;
    --bad-text: #ffc9c9;
    --good-back: #15301f;
    --good-line: #4fb57a;
    --good-text: #bfe9cf;
  }
}
`
