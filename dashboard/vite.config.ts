// Builds the dashboard: static files with hashed names, which the service serves itself. Nothing is loaded from other hosts.

import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Writes a .br and a .gz file next to each script, style sheet and SVG. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle: async ({ dir = '' }) => {
      for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:js|css|svg)$/.test(entry.name)) continue
        const file = path.join(entry.parentPath, entry.name)
        const bytes = await readFile(file)
        await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes))
        await writeFile(`${file}.gz`, await promisify(gzip)(bytes))
      }
    },
  }
}

// oxlint-disable-next-line import/no-default-export -- where Vite looks for it
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), compressed()],
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
})
