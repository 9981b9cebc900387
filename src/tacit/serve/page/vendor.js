/*!
Libraries that the explorer's page uses, in one file. Do not edit: `npm run vendor` in the folder vendor/ writes it.

@preact/signals 2.11.4 (MIT)

The MIT License (MIT)

Copyright (c) 2022-present Preact Team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

--------------------------------------------------------------------------------

@preact/signals-core 1.14.5 (MIT)

The MIT License (MIT)

Copyright (c) 2022-present Preact Team

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.

--------------------------------------------------------------------------------

d3-color 3.1.1 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-dispatch 3.0.2 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-drag 3.0.1 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-ease 3.0.2 (BSD-3-Clause)

Copyright 2010-2026 Mike Bostock
Copyright 2001 Robert Penner
All rights reserved.

Redistribution and use in source and binary forms, with or without modification,
are permitted provided that the following conditions are met:

* Redistributions of source code must retain the above copyright notice, this
  list of conditions and the following disclaimer.

* Redistributions in binary form must reproduce the above copyright notice,
  this list of conditions and the following disclaimer in the documentation
  and/or other materials provided with the distribution.

* Neither the name of the author nor the names of contributors may be used to
  endorse or promote products derived from this software without specific prior
  written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND
ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR
ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES
(INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON
ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT
(INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

--------------------------------------------------------------------------------

d3-interpolate 3.0.2 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-selection 3.0.1 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-timer 3.0.2 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-transition 3.0.2 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

d3-zoom 3.0.1 (ISC)

Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.

--------------------------------------------------------------------------------

htm 3.1.1 (Apache-2.0)

Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright 2018 Google Inc.

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.

--------------------------------------------------------------------------------

preact 11.2.0 (MIT)

The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
// node_modules/htm/dist/htm.module.js
var n = function(t5, s4, r4, e4) {
  var u4;
  s4[0] = 0;
  for (var h5 = 1; h5 < s4.length; h5++) {
    var p5 = s4[h5++], a4 = s4[h5] ? (s4[0] |= p5 ? 1 : 2, r4[s4[h5++]]) : s4[++h5];
    3 === p5 ? e4[0] = a4 : 4 === p5 ? e4[1] = Object.assign(e4[1] || {}, a4) : 5 === p5 ? (e4[1] = e4[1] || {})[s4[++h5]] = a4 : 6 === p5 ? e4[1][s4[++h5]] += a4 + "" : p5 ? (u4 = t5.apply(a4, n(t5, a4, r4, ["", null])), e4.push(u4), a4[0] ? s4[0] |= 2 : (s4[h5 - 2] = 0, s4[h5] = u4)) : e4.push(a4);
  }
  return e4;
};
var t = /* @__PURE__ */ new Map();
function htm_module_default(s4) {
  var r4 = t.get(this);
  return r4 || (r4 = /* @__PURE__ */ new Map(), t.set(this, r4)), (r4 = n(this, r4.get(s4) || (r4.set(s4, r4 = (function(n4) {
    for (var t5, s5, r5 = 1, e4 = "", u4 = "", h5 = [0], p5 = function(n5) {
      1 === r5 && (n5 || (e4 = e4.replace(/^\s*\n\s*|\s*\n\s*$/g, ""))) ? h5.push(0, n5, e4) : 3 === r5 && (n5 || e4) ? (h5.push(3, n5, e4), r5 = 2) : 2 === r5 && "..." === e4 && n5 ? h5.push(4, n5, 0) : 2 === r5 && e4 && !n5 ? h5.push(5, 0, true, e4) : r5 >= 5 && ((e4 || !n5 && 5 === r5) && (h5.push(r5, 0, e4, s5), r5 = 6), n5 && (h5.push(r5, n5, 0, s5), r5 = 6)), e4 = "";
    }, a4 = 0; a4 < n4.length; a4++) {
      a4 && (1 === r5 && p5(), p5(a4));
      for (var l4 = 0; l4 < n4[a4].length; l4++) t5 = n4[a4][l4], 1 === r5 ? "<" === t5 ? (p5(), h5 = [h5], r5 = 3) : e4 += t5 : 4 === r5 ? "--" === e4 && ">" === t5 ? (r5 = 1, e4 = "") : e4 = t5 + e4[0] : u4 ? t5 === u4 ? u4 = "" : e4 += t5 : '"' === t5 || "'" === t5 ? u4 = t5 : ">" === t5 ? (p5(), r5 = 1) : r5 && ("=" === t5 ? (r5 = 5, s5 = e4, e4 = "") : "/" === t5 && (r5 < 5 || ">" === n4[a4][l4 + 1]) ? (p5(), 3 === r5 && (h5 = h5[0]), r5 = h5, (h5 = h5[0]).push(2, 0, r5), r5 = 0) : " " === t5 || "	" === t5 || "\n" === t5 || "\r" === t5 ? (p5(), r5 = 2) : e4 += t5), 3 === r5 && "!--" === e4 && (r5 = 4, h5 = h5[0]);
    }
    return p5(), h5;
  })(s4)), r4), arguments, [])).length > 1 ? r4 : r4[0];
}

// node_modules/preact/dist/preact.mjs
var n2;
var t2;
var r;
var u;
var i;
var f;
var o;
var e;
var l;
var c;
var a;
var s;
var h = /* @__PURE__ */ Symbol.for("pv");
var p = {};
var y = [];
var v = /^m(i|n|o|s|text|space)$/;
var w = Array.isArray;
var d = y.slice;
var _ = Object.assign;
function g(n4) {
  n4 && n4.parentNode && n4.remove();
}
function k(n4, t5, r4) {
  var u4, i4, f4, o4 = {}, e4 = arguments.length;
  for (f4 in t5) "key" == f4 ? u4 = t5[f4] : "ref" == f4 && "function" != typeof n4 ? i4 = t5[f4] : o4[f4] = t5[f4];
  return e4 > 2 && (o4.children = e4 > 3 ? d.call(arguments, 2) : r4), m(n4, o4, u4, i4, null);
}
function m(r4, u4, i4, f4, o4) {
  var e4 = { type: r4, props: u4, key: i4, ref: f4, __k: null, __: null, __b: 0, __e: null, __c: null, constructor: h, __v: o4 || ++t2, __i: -1, __u: 0 };
  return !o4 && n2.vnode && n2.vnode(e4), e4;
}
function M() {
  return { current: null };
}
function $(n4) {
  return n4.children;
}
function x(n4, t5) {
  this.props = n4, this.context = t5, this.__g = 0;
}
function S(n4, t5) {
  if (null == t5) return n4.__ && S(n4.__, n4.__i + 1);
  for (var r4; t5 < n4.__k.length; t5++) if ((r4 = n4.__k[t5]) && r4.__e) return r4.__e;
  return "function" != typeof n4.type || n4.props.__P ? null : S(n4);
}
function C(t5) {
  var r4, u4 = t5.__v, i4 = u4.__e, f4 = [], o4 = [], e4 = t5.__P;
  e4 && ((r4 = _({ constructor: h }, u4)).__v = u4.__v + 1, n2.vnode && n2.vnode(r4), z(e4, r4, u4, t5.__n, e4.namespaceURI, 32 & u4.__u ? [i4] : null, f4, i4 || S(u4), 32 & u4.__u, o4), r4.__v = u4.__v, r4.__.__k[r4.__i] = r4, E(f4, r4, o4), u4.__ = u4.__e = null, r4.__e != i4 && j(r4));
}
function j(n4) {
  if ((n4 = n4.__) && n4.__c && !n4.props.__P) return n4.__e = null, n4.__k.some(function(t5) {
    return t5 && (n4.__e = t5.__e);
  }), j(n4);
}
function L(t5) {
  (8 & t5.__g || (t5.__g |= 8, u.push(t5), f++)) && i == n2.debounceRendering || ((i = n2.debounceRendering) || queueMicrotask)(H);
}
function H() {
  try {
    for (var n4, t5 = 1; u.length; ) u.length > t5 && u.sort(o), n4 = u.shift(), t5 = u.length, 8 & n4.__g && C(n4);
  } finally {
    (f = u.length) && (i || queueMicrotask)(H);
  }
}
function I(n4, t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, h5, v4, w5, d5, _5, g5 = u4.__k || y, k4 = t5.length;
  for (l4 = q(r4, t5, g5, l4, k4), s4 = 0; s4 < k4; s4++) null != (v4 = r4.__k[s4]) && (h5 = ~v4.__i && g5[v4.__i] || p, v4.__i = s4, _5 = z(n4, v4, h5, i4, f4, o4, e4, l4, c4, a4), w5 = v4.__e, (h5.ref != v4.ref || 8 & h5.__u) && (h5.ref && G(h5.ref, null, v4, h5), v4.ref && a4.push(v4.ref, v4.__c || w5, v4)), d5 = d5 || w5, 4 & v4.__u ? (l4 = A(v4, l4, n4, !h5.__v), h5.__e && (h5.__e = null)) : "function" == typeof v4.type && void 0 !== _5 ? l4 = _5 : w5 && (l4 = w5.nextSibling), v4.__u &= -21);
  return r4.__e = d5, l4;
}
function q(n4, t5, r4, u4, i4) {
  var f4, o4, e4, l4, c4, a4, s4, p5, y5, v4 = r4.length, d5 = v4, _5 = 0, g5 = 0, k4 = n4.__k = Array(i4);
  for (f4 = 0; f4 < i4; f4++) null != (o4 = t5[f4]) && "boolean" != typeof o4 && "function" != typeof o4 ? ("object" != typeof o4 || o4.constructor === String ? o4 = k4[f4] = m(null, o4) : w(o4) ? o4 = k4[f4] = m($, { children: o4 }) : o4.constructor === h && o4.__b ? o4 = k4[f4] = m(o4.type, o4.props, o4.key, o4.ref, o4.__v) : k4[f4] = o4, l4 = f4 + _5, o4.__ = n4, o4.__b = n4.__b + 1, e4 = null, ~(c4 = o4.__i = P(o4, r4, l4, d5)) && (d5--, (e4 = r4[c4]) && (e4.__u |= 2)), e4 && e4.__v ? (o4.__u |= 16, c4 == l4 - 1 ? _5-- : c4 == l4 + 1 ? _5++ : c4 != l4 && (c4 > l4 ? _5-- : _5++, g5 = 1)) : (~c4 || (i4 > v4 ? _5-- : i4 < v4 && _5++), "function" != typeof o4.type && (o4.__u |= 4))) : k4[f4] = null;
  if (g5) {
    for (a4 = [], s4 = [], f4 = 0; f4 < i4; f4++) if ((o4 = k4[f4]) && 16 & o4.__u) {
      for (_5 = 0, p5 = a4.length; _5 < p5; ) a4[y5 = _5 + p5 >> 1] < o4.__i ? _5 = y5 + 1 : p5 = y5;
      a4[_5] = o4.__i, s4[f4] = _5 + 1;
    }
    for (_5 = a4.length; f4--; ) s4[f4] && (s4[f4] == _5 ? _5-- : k4[f4].__u |= 4);
  }
  if (d5) for (f4 = 0; f4 < v4; f4++) !(e4 = r4[f4]) || 2 & e4.__u || (e4.__e == u4 && (u4 = S(e4)), J(e4, e4));
  return u4;
}
function A(n4, t5, r4, u4) {
  var i4, f4, o4, e4;
  if ("function" == typeof n4.type) {
    if (n4.props.__P) return t5;
    if (i4 = n4.__k) for (f4 = 0; f4 < i4.length; f4++) i4[f4] && (i4[f4].__ = n4, t5 = A(i4[f4], t5, r4, false));
    return t5;
  }
  for (t5 && !t5.parentNode && (t5 = S(n4)) && !t5.parentNode && (t5 = null), o4 = n4.__e, e4 = t5; e4 && 8 == e4.nodeType; ) e4 = e4.nextSibling;
  for (o4 != e4 && (!u4 && r4.moveBefore && o4.parentNode ? r4.moveBefore(o4, t5) : r4.insertBefore(o4, t5 || null)), t5 = o4; (t5 = t5 && t5.nextSibling) && 8 == t5.nodeType && !t5.data.startsWith("$s"); ) ;
  return t5;
}
function O(n4, t5) {
  return t5 = t5 || [], null != n4 && "boolean" != typeof n4 && (w(n4) ? n4.some(function(n5) {
    O(n5, t5);
  }) : t5.push(n4)), t5;
}
function P(n4, t5, r4, u4) {
  var i4, f4 = n4.key, o4 = n4.type, e4 = t5[r4], l4 = e4 && !(2 & e4.__u);
  if (null === e4 && null == f4 || l4 && f4 == e4.key && o4 == e4.type) return r4;
  if (u4 > (l4 ? 1 : 0)) {
    for (i4 = r4 - 1; i4 >= 0; i4--) if ((e4 = t5[i4]) && !(2 & e4.__u) && f4 == e4.key && o4 == e4.type) return i4;
    for (i4 = r4 + 1; i4 < t5.length; i4++) if ((e4 = t5[i4]) && !(2 & e4.__u) && f4 == e4.key && o4 == e4.type) return i4;
  }
  return -1;
}
function T(n4, t5, r4) {
  null == r4 && (r4 = ""), "-" == t5[0] ? n4.setProperty(t5, r4) : n4[t5] = r4;
}
function N(n4, t5, r4, u4, i4) {
  var f4, o4;
  if ("style" == t5) if ("string" == typeof r4) n4.style.cssText = r4;
  else {
    if ("string" == typeof u4 && (n4.style.cssText = u4 = ""), u4) for (t5 in u4) r4 && t5 in r4 || T(n4.style, t5);
    if (r4) for (t5 in r4) u4 && r4[t5] == u4[t5] || T(n4.style, t5, r4[t5]);
  }
  else if ("o" == t5[0] && "n" == t5[1]) "function" != typeof r4 && (r4 = null), "function" != typeof u4 && (u4 = null), (n4.__e || (n4.__e = {}))[t5] = r4, r4 && u4 || (o4 = a[t5] || (a[t5] = V(t5)), (n4.__a || (n4.__a = {}))[t5] = c, f4 = t5 != (t5 = t5.replace(l, "$1")), (t5 = t5.slice(2))[0] < "a" && (t5 = t5.toLowerCase()), r4 ? n4.addEventListener(t5, o4, f4) : n4.removeEventListener(t5, o4, f4));
  else {
    if ("http://www.w3.org/2000/svg" == i4) t5 = t5.replace(/xlink(H|:h)/, "h").replace(/sName$/, "s");
    else if ("width" != t5 && "height" != t5 && "href" != t5 && "list" != t5 && "form" != t5 && "tabIndex" != t5 && "download" != t5 && "rowSpan" != t5 && "colSpan" != t5 && "role" != t5 && "popover" != t5 && t5 in n4) try {
      return void (n4[t5] = null == r4 ? "" : r4);
    } catch (n5) {
    }
    if ("function" == typeof r4) return;
    null == r4 || false === r4 && "-" != t5[4] ? n4.removeAttribute(t5) : n4.setAttribute(t5, "popover" == t5 && 1 == r4 ? "" : r4);
  }
}
function V(t5) {
  return function(r4) {
    var u4 = this.__e;
    if (u4) {
      if (u4 = u4[t5], null == r4[e]) r4[e] = c++;
      else if (r4[e] < this.__a[t5]) return;
      return u4(n2.event ? n2.event(r4) : r4);
    }
  };
}
function z(t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, p5, v4, d5, k4, b10, m5, M3, C4, j4, L2, H2, q3, A5, O4, P3, T5, N2, V2 = r4.type;
  if (r4.constructor !== h) return null;
  128 & u4.__u && (c4 = 32 & u4.__u, s4 = u4.__c.__z) && (r4.__u |= c4, p5 = o4 = [], 8 == s4.nodeType ? l4 = B(s4, o4) : o4.push(s4), l4 = o4[0] || l4), (s4 = n2.__b) && s4(r4);
  n: if ("function" == typeof V2) {
    v4 = e4.length;
    try {
      if (M3 = r4.props, C4 = (s4 = V2.prototype) && s4.render, j4 = (s4 = V2.contextType) && i4[s4.__c], L2 = s4 ? j4 ? j4.props.value : s4.__ : i4, (d5 = u4.__c) ? (r4.__c = d5, 2 & d5.__g && (d5.__g |= 1)) : (C4 ? r4.__c = d5 = new V2(M3, L2) : (r4.__c = d5 = new x(M3, L2), d5.constructor = V2, d5.render = K), j4 && j4.sub(d5), d5.state || (d5.state = {}), d5.__n = i4, d5.__g |= 8, d5.__h = [], d5.__k = []), C4 && (d5.__s || (d5.__s = d5.state), V2.getDerivedStateFromProps && (d5.__s == d5.state && (d5.__s = _({}, d5.__s)), _(d5.__s, V2.getDerivedStateFromProps(M3, d5.__s)))), k4 = d5.props, b10 = d5.state, d5.__v = r4, u4.__c) {
        if (M3 !== k4 && C4 && !V2.getDerivedStateFromProps && d5.componentWillReceiveProps && d5.componentWillReceiveProps(M3, L2), r4.__v == u4.__v && !(8 & d5.__g) || !(4 & d5.__g) && d5.shouldComponentUpdate && false === d5.shouldComponentUpdate(M3, d5.__s, L2)) {
          r4.__v != u4.__v && (d5.props = M3, d5.state = d5.__s, d5.__g &= -9), r4.__e = u4.__e, r4.__k = u4.__k, r4.__k.some(function(n4) {
            n4 && (n4.__ = r4);
          }), y.push.apply(d5.__h, d5.__k), d5.__k = [], d5.__h.length && e4.push(d5), l4 = S(u4);
          break n;
        }
        d5.componentWillUpdate && d5.componentWillUpdate(M3, d5.__s, L2), C4 && d5.componentDidUpdate && d5.__h.push(function() {
          d5.componentDidUpdate(k4, b10, m5);
        });
      } else C4 && !V2.getDerivedStateFromProps && d5.componentWillMount && d5.componentWillMount(), C4 && d5.componentDidMount && d5.__h.push(d5.componentDidMount);
      d5.context = L2, d5.props = M3, d5.__P = t5, d5.__g &= -5, H2 = n2.__r, q3 = C4 ? 25 : 0;
      do {
        d5.__g &= -9, H2 && H2(r4), s4 = d5.render(d5.props, d5.state = d5.__s, d5.context);
      } while (8 & d5.__g && ++q3 < 25);
      C4 && (y.push.apply(d5.__h, d5.__k), d5.__k = []), d5.state = d5.__s, d5.getChildContext && (i4 = _({}, i4, d5.getChildContext())), C4 && u4.__c && d5.getSnapshotBeforeUpdate && (m5 = d5.getSnapshotBeforeUpdate(k4, b10)), A5 = s4 && s4.type === $ && null == s4.key ? s4.props.children : s4, M3.__P && (s4 = l4, f4 = (t5 = M3.__P).namespaceURI, c4 = o4 = null, u4.props && u4.props.__P != t5 && (u4.__k.some(function(n4) {
        n4 && J(n4, n4);
      }), u4.__k = null), l4 = u4.__k ? S(u4, 0) : null), l4 = I(t5, w(A5) ? A5 : [A5], r4, u4, i4, f4, o4, e4, l4, c4, a4), M3.__P && (r4.__e = null, l4 = s4), r4.__u &= -161, p5 && p5.some(g), d5.__h.length && e4.push(d5), 1 & d5.__g && (d5.__g &= -4);
    } catch (t6) {
      if (e4.length = v4, r4.__v = null, c4 || o4) if (t6 && t6.then) {
        if (r4.__u |= 128 | c4, o4) {
          for (~(T5 = o4.indexOf(l4 || void 0)) || (T5 = o4.length); (N2 = o4[T5 - 1]) && 8 == N2.nodeType; ) T5--;
          for (; T5 < o4.length; T5++) if (N2 = o4[T5]) if (o4[T5] = null, O4) {
            if (N2 == P3) break;
          } else {
            if (8 != N2.nodeType) break;
            N2.data.startsWith("$s") && (P3 = B(O4 = N2));
          }
        }
        if (!O4) {
          for (; l4 && 8 == l4.nodeType && l4.nextSibling; ) l4 = l4.nextSibling;
          O4 = l4;
        }
        (s4 = B(O4 = r4.__c.__z || (r4.__c.__z = O4))) ? (r4.__e = O4, l4 = s4) : r4.__e = l4, l4 = l4 && l4.nextSibling;
      } else o4 && o4.some(g);
      else r4.__e = u4.__e;
      r4.__k || (r4.__k = u4.__k || []), t6 && t6.then || D(r4), n2.__e(t6, r4, u4);
    }
  } else l4 = r4.__e = F(u4.__e, r4, u4, i4, f4, o4, e4, c4, a4, t5);
  return (s4 = n2.diffed) && s4(r4), l4;
}
function B(n4, t5) {
  if (n4 && 8 == n4.nodeType && n4.data.startsWith("$s")) for (var r4 = 1; n4 = n4.nextSibling; ) {
    if (8 == n4.nodeType) {
      if (n4.data.startsWith("$s")) r4++;
      else if (n4.data.startsWith("/$s") && !--r4) return n4;
    }
    t5 && t5.push(n4);
  }
}
function D(n4) {
  n4 && (n4.__c && (n4.__c.__g |= 4), n4.__k && n4.__k.some(D));
}
function E(t5, r4, u4) {
  for (var i4 = 0; i4 < u4.length; ) G(u4[i4++], u4[i4++], u4[i4++]);
  n2.__c && n2.__c(r4, t5), t5.some(function(r5) {
    try {
      t5 = r5.__h, r5.__h = [], t5.some(function(n4) {
        n4.call(r5);
      });
    } catch (t6) {
      n2.__e(t6, r5.__v);
    }
  });
}
function F(t5, r4, u4, i4, f4, o4, e4, l4, c4, a4) {
  var s4, h5, y5, _5, k4, b10, m5, M3, $2 = u4.props || p, x4 = r4.props, C4 = r4.type;
  if ("svg" == C4 ? f4 = "http://www.w3.org/2000/svg" : "math" == C4 ? f4 = "http://www.w3.org/1998/Math/MathML" : f4 || (f4 = "http://www.w3.org/1999/xhtml"), o4) {
    for (s4 = 0; s4 < o4.length; s4++) if ((k4 = o4[s4]) && (C4 ? k4.localName == C4 : 3 == k4.nodeType)) {
      t5 = k4, o4[s4] = null;
      break;
    }
  }
  if (!t5) {
    if (M3 = a4.ownerDocument || document, !C4) return M3.createTextNode(x4);
    t5 = M3.createElementNS(f4, C4, x4.is ? x4 : a4), l4 && (n2.__m && n2.__m(r4, o4), l4 = false), o4 = null;
  }
  if (C4) {
    if (a4 = "template" == C4 && t5.content || t5, o4 = "textarea" == C4 && null != x4.defaultValue ? null : o4 && d.call(a4.childNodes), !l4 && o4) for ($2 = {}, s4 = 0; s4 < t5.attributes.length; s4++) $2[(k4 = t5.attributes[s4]).name] = k4.value;
    for (s4 in $2) k4 = $2[s4], "dangerouslySetInnerHTML" == s4 ? y5 = k4 : "children" == s4 || s4 in x4 || "value" == s4 && "defaultValue" in x4 || "checked" == s4 && "defaultChecked" in x4 || N(t5, s4, null, k4, f4);
    for (s4 in x4) k4 = x4[s4], "children" == s4 ? _5 = k4 : "dangerouslySetInnerHTML" == s4 ? h5 = k4 : "value" == s4 ? b10 = k4 : "checked" == s4 ? m5 = k4 : l4 && "function" != typeof k4 || $2[s4] === k4 || N(t5, s4, k4, $2[s4], f4);
    h5 ? (l4 || y5 && (h5.__html == y5.__html || h5.__html == t5.innerHTML) || (t5.innerHTML = h5.__html), r4.__k = []) : (y5 && (t5.textContent = ""), ("foreignObject" == C4 || "http://www.w3.org/1998/Math/MathML" == f4 && v.test(C4)) && (f4 = "http://www.w3.org/1999/xhtml"), I(a4, w(_5) ? _5 : [_5], r4, u4, i4, f4, o4, e4, o4 ? o4[0] : u4.__k && S(u4, 0), l4, c4), o4 && o4.some(g)), l4 && "textarea" != C4 || (s4 = "value", "progress" == C4 && null == b10 ? t5.removeAttribute(s4) : null == b10 || b10 === t5[s4] && ("progress" != C4 || b10) || N(t5, s4, b10, $2[s4], f4), s4 = "checked", null != m5 && m5 != t5[s4] && N(t5, s4, m5, $2[s4], f4));
  } else $2 === x4 || l4 && t5.data == x4 || (t5.data = x4);
  return t5;
}
function G(t5, r4, u4, i4) {
  try {
    "function" == typeof t5 ? r4 ? r4.__x = t5(r4) || 1 : i4 && (i4 = i4.__c || i4.__e) && (r4 = i4.__x) && (i4.__x = null, "function" == typeof r4 ? r4() : t5(null)) : t5.current = r4;
  } catch (t6) {
    n2.__e(t6, u4);
  }
}
function J(t5, r4, u4) {
  var i4, f4, o4, e4;
  if (n2.unmount && n2.unmount(t5), !(i4 = t5.ref) || i4.current && i4.current != t5.__e || G(i4, null, r4, t5), i4 = t5.__c) {
    if (i4.componentWillUnmount) try {
      i4.componentWillUnmount();
    } catch (t6) {
      n2.__e(t6, r4);
    }
    i4.__P = i4.__n = null;
  }
  if (i4 = t5.__k) for (e4 = 0; e4 < i4.length; e4++) i4[e4] && J(i4[e4], r4, "function" != typeof t5.type || u4 && !t5.props.__P);
  !u4 && (i4 = t5.__c) && (i4 = i4.__z) && (f4 = B(i4, o4 = [])) && (i4 == t5.__e && o4.some(g), g(f4), g(i4)), u4 || g(t5.__e), t5.__e = t5.__c = t5.__ = null;
}
function K(n4, t5, r4) {
  return this.constructor(n4, r4);
}
function Q(t5, r4) {
  var u4, i4, f4, o4;
  n2.__ && n2.__(t5, r4), 9 == r4.nodeType && (r4 = r4.documentElement), i4 = (u4 = t5 && 32 & t5.__u) ? null : r4.__k, r4.__k = m($, { children: [t5] }), f4 = [], o4 = [], z(r4, r4.__k, i4 || p, p, r4.namespaceURI, i4 ? null : r4.firstChild ? d.call(r4.childNodes) : null, f4, i4 ? i4.__e : r4.firstChild, u4, o4), E(f4, r4.__k, o4), r4.__k.props.children = null;
}
function U(n4) {
  function t5(n5) {
    var r4, u4;
    return this.getChildContext || (r4 = /* @__PURE__ */ new Set(), (u4 = {})[t5.__c] = this, this.getChildContext = function() {
      return u4;
    }, this.shouldComponentUpdate = function(n6) {
      this.props.value != n6.value && r4.forEach(function(n7) {
        n7.__g |= 4, L(n7);
      });
    }, this.sub = function(n6) {
      r4.add(n6);
      var t6 = n6.componentWillUnmount;
      n6.componentWillUnmount = function() {
        r4.delete(n6), t6 && t6.call(n6);
      };
    }), n5.children;
  }
  return t5.__c = "__cC" + s++, t5.__ = n4, t5.Provider = (t5.Consumer = function(n5, t6) {
    return n5.children(t6);
  }).contextType = t5, t5;
}
n2 = { __e: function(n4, t5, r4, u4) {
  for (var i4, o4, e4; t5 = t5.__; ) if ((i4 = t5.__c) && !(1 & i4.__g)) {
    i4.__g |= 4;
    try {
      if ((e4 = (o4 = i4.constructor) && o4.getDerivedStateFromError) && i4.setState(o4.getDerivedStateFromError(n4)), i4.componentDidCatch && (i4.componentDidCatch(n4, u4 || {}), e4 = 1), e4 && 8 & i4.__g) return void (i4.__g |= 2);
    } catch (t6) {
      n4 = t6;
    }
  }
  throw f = 0, n4;
} }, t2 = 0, r = function(n4) {
  return null != n4 && n4.constructor === h;
}, x.prototype.setState = function(n4, t5) {
  var r4 = this.__s;
  r4 && r4 != this.state || (r4 = this.__s = _({}, this.state)), "function" == typeof n4 && (n4 = n4(_({}, r4), this.props)), n4 && (_(r4, n4), this.__v && (t5 && this.__k.push(t5), L(this)));
}, x.prototype.forceUpdate = function(n4) {
  this.__v && (this.__g |= 4, n4 && this.__h.push(n4), L(this));
}, x.prototype.render = $, u = [], f = 0, o = function(n4, t5) {
  return n4.__v.__b - t5.__v.__b;
}, e = /* @__PURE__ */ Symbol(), l = /(PointerCapture)$|Capture$/i, c = 0, a = {}, s = 0;

// node_modules/preact/hooks/dist/hooks.mjs
var t3;
var r2;
var u2;
var i2;
var o2 = Object.is;
var f2 = 0;
var c2 = [];
var e2 = [];
var a2 = n2;
var v2 = a2.__b;
var l2 = a2.__r;
var m2 = a2.diffed;
var h2 = a2.__c;
var s2 = a2.unmount;
var p2 = a2.__;
function y2(n4, t5) {
  a2.__h && a2.__h(r2, n4, f2 || t5), f2 = 0;
  var u4 = r2.__H || (r2.__H = { __: [], __h: [] });
  return n4 >= u4.__.length && u4.__.push({}), u4.__[n4];
}
function d2(n4) {
  return f2 = 1, _2(G2, n4);
}
function _2(n4, u4, i4) {
  var f4 = y2(t3++, 2);
  if (f4.t = n4, !f4.__c && (f4.__ = [i4 ? i4(u4) : G2(void 0, u4), function(n5) {
    var t5 = (f4.__N || f4.__)[0], r4 = f4.t(t5, n5);
    o2(t5, r4) || (f4.__N = [r4, f4.__[1]], f4.__c.setState({}));
  }], f4.__c = r2, !r2.__f)) {
    r2.__f = true;
    var c4 = r2.shouldComponentUpdate;
    r2.shouldComponentUpdate = function(n5, t5, r4) {
      var u5 = this.__H;
      if (!u5) return true;
      var i5 = false, f5 = this.props != n5;
      if (u5.__.some(function(n6) {
        n6.__N && (i5 = true, o2(n6.__[0], n6.__N[0]) || (f5 = true));
      }), c4) {
        var e4 = c4.call(this, n5, t5, r4);
        return i5 ? e4 || f5 : e4;
      }
      return !i5 || f5;
    };
  }
  return f4.__;
}
function A2(n4, u4) {
  var i4 = y2(t3++, 3);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = true, i4.__ = n4, i4.u = u4, r2.__H.__h.push(i4));
}
function F2(n4, u4) {
  var i4 = y2(t3++, 4);
  !a2.__s && E2(i4.__H, u4) && (i4.__P = false, i4.__ = n4, i4.u = u4, r2.__h.push(i4));
}
function T2(n4) {
  return f2 = 5, w2(function() {
    return { current: n4 };
  }, []);
}
function w2(n4, r4) {
  var u4 = y2(t3++, 7);
  return E2(u4.__H, r4) && (u4.__ = n4(), u4.__H = r4), u4.__;
}
function b(n4, t5) {
  return f2 = 8, w2(function() {
    return n4;
  }, t5);
}
function j2(n4) {
  var u4 = r2.context[n4.__c], i4 = y2(t3++, 9);
  return i4.c = n4, u4 ? (null == i4.__ && (i4.__ = true, u4.sub(r2)), u4.props.value) : n4.__;
}
function O2(n4) {
  var u4 = y2(t3++, 10), i4 = d2();
  return u4.__ = n4, r2.componentDidCatch || (r2.componentDidCatch = function(n5, t5) {
    u4.__ && u4.__(n5, t5), i4[1](n5);
  }), [i4[0], function() {
    return i4[1]();
  }];
}
function P2() {
  var n4 = y2(t3++, 11);
  if (!n4.__) {
    for (var u4 = r2.__v; !u4.__m && u4.__; ) u4 = u4.__;
    var i4 = u4.__m || (u4.__m = [0, 0]);
    n4.__ = "P" + i4[0] + "-" + i4[1]++;
  }
  return n4.__;
}
function g2() {
  var n4;
  do {
    for (; n4 = e2.shift(); ) try {
      C2(n4);
    } catch (t6) {
      a2.__e(t6, { __: (n4 = n4.__P) && n4.__v });
    }
    for (; n4 = c2.shift(); ) {
      var t5 = n4.__H;
      if (n4.__P && t5) try {
        t5.__h.some(C2), t5.__h.some(D2), t5.__h = [];
      } catch (r4) {
        t5.__h = [], a2.__e(r4, n4.__v);
      }
    }
  } while (e2.length);
}
a2.__b = function(n4) {
  r2 = null, v2 && v2(n4);
}, a2.__ = function(n4, t5) {
  n4 && t5.__k && t5.__k.__m && (n4.__m = t5.__k.__m), p2 && p2(n4, t5);
}, a2.__r = function(n4) {
  l2 && l2(n4), t3 = 0;
  var i4 = (r2 = n4.__c).__H;
  i4 && (u2 == r2 ? r2.__h = [] : (i4.__h.some(C2), i4.__h.some(D2), t3 = 0), i4.__h = [], i4.__.some(function(n5) {
    n5.__N && (n5.__ = n5.__N), n5.u = n5.__N = void 0;
  })), u2 = r2;
}, a2.diffed = function(n4) {
  m2 && m2(n4);
  var t5 = n4.__c;
  t5 && t5.__H && (t5.__H.__h.length && B2(c2.push(t5)), t5.__H.__.some(function(n5) {
    n5.u && (n5.__H = n5.u);
  })), u2 = r2 = null;
}, a2.__c = function(n4, t5) {
  t5.some(function(n5) {
    try {
      n5.__h.some(C2), n5.__h = n5.__h.filter(function(n6) {
        return !n6.__ || D2(n6);
      });
    } catch (t6) {
      n5.__h = [function() {
        throw t6;
      }];
    }
  }), h2 && h2(n4, t5);
}, a2.unmount = function(n4) {
  s2 && s2(n4);
  var t5, r4, u4 = n4.__c;
  u4 && u4.__H && (u4.__H.__.some(function(u5) {
    try {
      if (u5.__P && u5.__c) {
        if (void 0 === r4) {
          for (r4 = n4.__; r4 && (!r4.__c || !r4.__c.__P); ) r4 = r4.__;
          r4 = r4 && r4.__c;
        }
        u5.__P = r4, B2(e2.push(u5));
      } else C2(u5);
    } catch (n5) {
      t5 = n5;
    }
  }), u4.__H = void 0, t5 && a2.__e(t5, u4.__v));
};
var k2 = "function" == typeof requestAnimationFrame;
function z2(n4) {
  var t5, r4 = function() {
    clearTimeout(u4), k2 && cancelAnimationFrame(t5), setTimeout(n4);
  }, u4 = setTimeout(r4, 35);
  k2 && (t5 = requestAnimationFrame(r4));
}
function B2(n4) {
  1 != n4 && i2 == a2.requestAnimationFrame || ((i2 = a2.requestAnimationFrame) || z2)(g2);
}
function C2(n4) {
  var t5 = r2, u4 = n4.__c;
  "function" == typeof u4 && (n4.__c = void 0, u4()), r2 = t5;
}
function D2(n4) {
  var t5 = r2;
  n4.__c = n4.__(), r2 = t5;
}
function E2(n4, t5) {
  return !n4 || n4.length != t5.length || t5.some(function(t6, r4) {
    return !o2(t6, n4[r4]);
  });
}
function G2(n4, t5) {
  return "function" == typeof t5 ? t5(n4) : t5;
}

// node_modules/@preact/signals-core/dist/signals-core.module.js
var i3 = /* @__PURE__ */ Symbol.for("preact-signals");
function t4() {
  if (!(v3 > 1)) {
    var i4, t5 = false;
    !(function() {
      var i5 = c3;
      c3 = void 0;
      while (void 0 !== i5) {
        var t6 = i5.S;
        if (t6.v === i5.v) {
          for (var r5 = t6.t; void 0 !== r5; r5 = r5.x) if (r5.i === i5.i) r5.i = t6.i;
        }
        i5 = i5.o;
      }
    })();
    while (void 0 !== h3) {
      var r4 = h3;
      h3 = void 0;
      s3++;
      while (void 0 !== r4) {
        var n4 = r4.u;
        r4.u = void 0;
        r4.f &= -3;
        if (!(8 & r4.f) && w3(r4)) try {
          r4.c();
        } catch (r5) {
          if (!t5) {
            i4 = r5;
            t5 = true;
          }
        }
        r4 = n4;
      }
    }
    s3 = 0;
    v3--;
    if (t5) throw i4;
  } else v3--;
}
function r3(i4) {
  if (v3 > 0) return i4();
  u3 = ++e3;
  v3++;
  try {
    return i4();
  } finally {
    t4();
  }
}
var n3;
var o3 = void 0;
function f3(i4) {
  var t5 = o3, r4 = n3;
  o3 = void 0;
  n3 = void 0;
  try {
    return i4();
  } finally {
    o3 = t5;
    n3 = r4;
  }
}
var h3 = void 0;
var v3 = 0;
var s3 = 0;
var e3 = 0;
var u3 = 0;
var c3 = void 0;
var a3 = 0;
function d3(i4) {
  if (void 0 !== o3) {
    var t5 = i4.n;
    if (void 0 === t5 || t5.t !== o3) {
      t5 = { i: 0, S: i4, p: o3.s, n: void 0, t: o3, e: void 0, x: void 0, r: t5 };
      if (void 0 !== o3.s) o3.s.n = t5;
      o3.s = t5;
      i4.n = t5;
      if (32 & o3.f) i4.S(t5);
      return t5;
    } else if (-1 === t5.i) {
      t5.i = 0;
      if (void 0 !== t5.n) {
        t5.n.p = t5.p;
        if (void 0 !== t5.p) t5.p.n = t5.n;
        t5.p = o3.s;
        t5.n = void 0;
        o3.s.n = t5;
        o3.s = t5;
      }
      return t5;
    }
  }
}
function l3(i4, t5) {
  this.v = i4;
  this.i = 0;
  this.n = void 0;
  this.t = void 0;
  this.l = 0;
  this.W = null == t5 ? void 0 : t5.watched;
  this.Z = null == t5 ? void 0 : t5.unwatched;
  this.name = null == t5 ? void 0 : t5.name;
}
l3.prototype.brand = i3;
l3.prototype.h = function() {
  return true;
};
l3.prototype.S = function(i4) {
  var t5 = this, r4 = this.t;
  if (r4 !== i4 && void 0 === i4.e) {
    i4.x = r4;
    this.t = i4;
    if (void 0 !== r4) r4.e = i4;
    else f3(function() {
      var i5;
      null == (i5 = t5.W) || i5.call(t5);
    });
  }
};
l3.prototype.U = function(i4) {
  var t5 = this;
  if (void 0 !== this.t) {
    var r4 = i4.e, n4 = i4.x;
    if (void 0 !== r4) {
      r4.x = n4;
      i4.e = void 0;
    }
    if (void 0 !== n4) {
      n4.e = r4;
      i4.x = void 0;
    }
    if (i4 === this.t) {
      this.t = n4;
      if (void 0 === n4) f3(function() {
        var i5;
        null == (i5 = t5.Z) || i5.call(t5);
      });
    }
  }
};
l3.prototype.subscribe = function(i4) {
  var t5 = this;
  return x2(function() {
    var r4 = t5.value;
    f3(function() {
      return i4(r4);
    });
  }, { name: "sub" });
};
l3.prototype.valueOf = function() {
  return this.value;
};
l3.prototype.toString = function() {
  return this.value + "";
};
l3.prototype.toJSON = function() {
  return this.value;
};
l3.prototype.peek = function() {
  var i4 = this;
  return f3(function() {
    return i4.value;
  });
};
Object.defineProperty(l3.prototype, "value", { get: function() {
  var i4 = d3(this);
  if (void 0 !== i4) i4.i = this.i;
  return this.v;
}, set: function(i4) {
  if (i4 !== this.v) {
    if (s3 > 100) throw new Error("Cycle detected");
    !(function(i5) {
      if (0 !== v3 && 0 === s3) {
        if (i5.l !== u3) {
          i5.l = u3;
          c3 = { S: i5, v: i5.v, i: i5.i, o: c3 };
        }
      }
    })(this);
    this.v = i4;
    this.i++;
    a3++;
    v3++;
    try {
      for (var r4 = this.t; void 0 !== r4; r4 = r4.x) r4.t.N();
    } finally {
      t4();
    }
  }
} });
function y3(i4, t5) {
  return new l3(i4, t5);
}
function w3(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) if (t5.S.i !== t5.i || !t5.S.h() || t5.S.i !== t5.i) return true;
  return false;
}
function b2(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) {
    var r4 = t5.S.n;
    if (void 0 !== r4) t5.r = r4;
    t5.S.n = t5;
    t5.i = -1;
    if (void 0 === t5.n) {
      i4.s = t5;
      break;
    }
  }
}
function _3(i4) {
  var t5 = i4.s, r4 = void 0;
  while (void 0 !== t5) {
    var n4 = t5.p;
    if (-1 === t5.i) {
      t5.S.U(t5);
      if (void 0 !== n4) n4.n = t5.n;
      if (void 0 !== t5.n) t5.n.p = n4;
    } else r4 = t5;
    t5.S.n = t5.r;
    if (void 0 !== t5.r) t5.r = void 0;
    t5 = n4;
  }
  i4.s = r4;
}
function j3(i4, t5) {
  l3.call(this, void 0, t5);
  this.x = i4;
  this.s = void 0;
  this.g = a3 - 1;
  this.f = 4;
}
j3.prototype = new l3();
j3.prototype.h = function() {
  this.f &= -3;
  if (1 & this.f) return false;
  if (32 == (36 & this.f)) return true;
  this.f &= -5;
  if (this.g === a3) return true;
  this.g = a3;
  this.f |= 1;
  if (this.i > 0 && !w3(this)) {
    this.f &= -2;
    return true;
  }
  var i4 = o3;
  try {
    b2(this);
    o3 = this;
    var t5 = this.x();
    if (16 & this.f || this.v !== t5 || 0 === this.i) {
      this.v = t5;
      this.f &= -17;
      this.i++;
    }
  } catch (i5) {
    this.v = i5;
    this.f |= 16;
    this.i++;
  }
  o3 = i4;
  _3(this);
  this.f &= -2;
  return true;
};
j3.prototype.S = function(i4) {
  if (void 0 === this.t) {
    this.f |= 36;
    for (var t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.S(t5);
  }
  l3.prototype.S.call(this, i4);
};
j3.prototype.U = function(i4) {
  if (void 0 !== this.t) {
    l3.prototype.U.call(this, i4);
    if (void 0 === this.t) {
      this.f &= -33;
      for (var t5 = this.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
    }
  }
};
j3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 6;
    for (var i4 = this.t; void 0 !== i4; i4 = i4.x) i4.t.N();
  }
};
Object.defineProperty(j3.prototype, "value", { get: function() {
  if (1 & this.f) throw new Error("Cycle detected");
  var i4 = d3(this);
  this.h();
  if (void 0 !== i4) i4.i = this.i;
  if (16 & this.f) throw this.v;
  return this.v;
} });
function O3(i4, t5) {
  return new j3(i4, t5);
}
function p3(i4) {
  var r4 = i4.j;
  i4.j = void 0;
  if ("function" == typeof r4) {
    v3++;
    var n4 = o3;
    o3 = void 0;
    try {
      r4();
    } catch (t5) {
      i4.f &= -2;
      i4.f |= 8;
      g3(i4);
      throw t5;
    } finally {
      o3 = n4;
      t4();
    }
  }
}
function g3(i4) {
  for (var t5 = i4.s; void 0 !== t5; t5 = t5.n) t5.S.U(t5);
  i4.x = void 0;
  i4.s = void 0;
  p3(i4);
}
function S2(i4) {
  if (o3 !== this) throw new Error("Out-of-order effect");
  _3(this);
  o3 = i4;
  this.f &= -2;
  try {
    if (8 & this.f) g3(this);
  } finally {
    t4();
  }
}
function m3(i4, t5) {
  this.x = i4;
  this.j = void 0;
  this.s = void 0;
  this.u = void 0;
  this.f = 32;
  this.name = null == t5 ? void 0 : t5.name;
  if (n3) n3.push(this);
}
m3.prototype.c = function() {
  var i4 = this.S();
  try {
    if (8 & this.f) return;
    if (void 0 === this.x) return;
    var t5 = this.x();
    if ("function" == typeof t5) this.j = t5;
  } finally {
    i4();
  }
};
m3.prototype.S = function() {
  if (1 & this.f) throw new Error("Cycle detected");
  this.f |= 1;
  this.f &= -9;
  p3(this);
  b2(this);
  v3++;
  var i4 = o3;
  o3 = this;
  return S2.bind(this, i4);
};
m3.prototype.N = function() {
  if (!(2 & this.f)) {
    this.f |= 2;
    this.u = h3;
    h3 = this;
  }
};
m3.prototype.d = function() {
  this.f |= 8;
  if (!(1 & this.f)) g3(this);
};
m3.prototype.dispose = function() {
  this.d();
};
function x2(i4, t5) {
  var r4 = new m3(i4, t5);
  try {
    r4.c();
  } catch (i5) {
    r4.d();
    throw i5;
  }
  var n4 = r4.d.bind(r4);
  n4[Symbol.dispose] = n4;
  return n4;
}

// node_modules/@preact/signals/dist/signals.module.js
var h4;
var d4;
var p4;
var m4 = "undefined" != typeof window && !!window.__PREACT_SIGNALS_DEVTOOLS__;
var _4 = [];
var g4 = [];
x2(function() {
  h4 = this.N;
})();
function b3(i4, n4) {
  n2[i4] = n4.bind(null, n2[i4] || function() {
  });
}
function y4(i4) {
  if (p4) {
    var n4 = p4;
    p4 = void 0;
    n4();
  }
  p4 = i4 && i4.S();
}
function w4(i4) {
  var n4 = this, r4 = i4.data, t5 = useSignal(r4);
  t5.name = "ReactiveDom";
  t5.value = r4;
  var e4 = w2(function() {
    var i5 = n4, r5 = n4.__v;
    while (r5 = r5.__) if (r5.__c) {
      r5.__c.__$f |= 4;
      break;
    }
    var o4 = O3(function() {
      var i6 = t5.value.value;
      return 0 === i6 ? 0 : true === i6 ? "" : i6 || "";
    }), e5 = O3(function() {
      return !Array.isArray(o4.value) && !r(o4.value);
    }), u5 = x2(function() {
      this.N = M2;
      if (e5.value) {
        var n5 = o4.value;
        if (i5.__v && i5.__v.__e && 3 === i5.__v.__e.nodeType) i5.__v.__e.data = n5;
      }
    }), c5 = n4.__$u.d;
    n4.__$u.d = function() {
      u5();
      c5.call(this);
    };
    return [e5, o4];
  }, []), u4 = e4[0], c4 = e4[1];
  return u4.value ? c4.peek() : c4.value;
}
w4.displayName = "ReactiveTextNode";
Object.defineProperties(l3.prototype, { constructor: { configurable: true, value: k($, null).constructor }, type: { configurable: true, value: w4 }, props: { configurable: true, get: function() {
  var i4 = this;
  return { data: { get value() {
    return i4.value;
  } } };
} }, __b: { configurable: true, value: 1 } });
b3("__b", function(i4, n4) {
  y4();
  d4 = void 0;
  if ("string" == typeof n4.type) {
    var r4, t5 = n4.props;
    for (var f4 in t5) if ("children" !== f4) {
      var o4 = t5[f4];
      if (o4 instanceof l3) {
        if (!r4) n4.__np = r4 = {};
        r4[f4] = o4;
        t5[f4] = o4.peek();
      }
    }
  }
  i4(n4);
});
b3("__r", function(i4, r4) {
  i4(r4);
  if (r4.type !== $) {
    y4();
    var t5, f4 = r4.__c;
    if (f4) {
      f4.__$f &= -2;
      if (void 0 === (t5 = f4.__$u)) f4.__$u = t5 = (function(i5, n4) {
        var r5;
        x2(function() {
          r5 = this;
        }, { name: n4 });
        r5.c = i5;
        return r5;
      })(/* @__PURE__ */ (function(i5) {
        return function() {
          var n4;
          if (m4) null == (n4 = this.y) || n4.call(this);
          i5.__$f |= 1;
          i5.setState({});
        };
      })(f4), "function" == typeof r4.type ? r4.type.displayName || r4.type.name : "");
    }
    d4 = f4;
    y4(t5);
  }
});
b3("__e", function(i4, n4, r4, t5) {
  y4();
  d4 = void 0;
  i4(n4, r4, t5);
});
b3("diffed", function(i4, n4) {
  y4();
  d4 = void 0;
  var r4;
  if ("string" == typeof n4.type && (r4 = n4.__e)) {
    var t5 = n4.__np, f4 = n4.props, o4 = r4.U;
    if (o4) for (var e4 in o4) {
      var u4 = o4[e4];
      if (!(void 0 === u4 || t5 && e4 in t5)) {
        u4.d();
        o4[e4] = void 0;
      }
    }
    if (t5) {
      if (!o4) {
        o4 = {};
        r4.U = o4;
      }
      for (var a4 in t5) {
        var c4 = o4[a4], v4 = t5[a4];
        if (void 0 === c4) {
          c4 = k3(r4, a4, v4, f4);
          o4[a4] = c4;
        } else c4.o(v4, f4);
      }
    }
  }
  i4(n4);
});
function k3(i4, n4, r4, t5) {
  var f4 = n4 in i4 && void 0 === i4.ownerSVGElement, o4 = y3(r4);
  return { o: function(i5, n5) {
    o4.value = i5;
    t5 = n5;
  }, d: x2(function() {
    this.N = M2;
    var r5 = o4.value.value;
    if (t5[n4] !== r5) {
      t5[n4] = r5;
      if (f4) i4[n4] = r5;
      else if (null != r5 && (false !== r5 || "-" === n4[4])) i4.setAttribute(n4, r5);
      else i4.removeAttribute(n4);
    }
  }) };
}
b3("unmount", function(i4, n4) {
  if ("string" == typeof n4.type) {
    var r4 = n4.__e;
    if (r4) {
      var t5 = r4.U;
      if (t5) {
        r4.U = void 0;
        for (var f4 in t5) {
          var o4 = t5[f4];
          if (o4) o4.d();
        }
      }
    }
    var e4 = n4.__np;
    if (e4) {
      var u4 = n4.props;
      for (var a4 in e4) u4[a4] = e4[a4];
    }
    n4.__np = void 0;
  } else {
    var c4 = n4.__c;
    if (c4) {
      c4.__$f |= 8;
      var v4 = c4.__$u;
      if (v4) {
        c4.__$u = void 0;
        v4.d();
      }
    }
  }
  i4(n4);
});
b3("__h", function(i4, n4, r4, t5) {
  if (t5 < 3) n4.__$f |= 2;
  i4(n4, r4, t5);
});
x.prototype.shouldComponentUpdate = function(i4, n4) {
  if (this.__R) return true;
  var r4 = this.__$u, t5 = r4 && void 0 !== r4.s;
  for (var f4 in n4) return true;
  if (this.__f || "boolean" == typeof this.u && true === this.u) {
    var o4 = 2 & this.__$f;
    if (!(t5 || o4 || 4 & this.__$f)) return true;
    if (1 & this.__$f) return true;
  } else {
    if (!(t5 || 4 & this.__$f)) return true;
    if (3 & this.__$f) return true;
  }
  for (var e4 in i4) if ("__source" !== e4 && i4[e4] !== this.props[e4]) return true;
  for (var u4 in this.props) if (!(u4 in i4)) return true;
  return false;
};
function useSignal(i4, n4) {
  return w2(function() {
    return y3(i4, n4);
  }, []);
}
function useComputed(i4, n4) {
  var r4 = T2(i4);
  r4.current = i4;
  d4.__$f |= 4;
  return w2(function() {
    return O3(function() {
      return r4.current();
    }, n4);
  }, []);
}
var q2 = "undefined" == typeof requestAnimationFrame ? setTimeout : function(i4) {
  var n4 = function() {
    clearTimeout(r4);
    cancelAnimationFrame(t5);
    i4();
  }, r4 = setTimeout(n4, 35), t5 = requestAnimationFrame(n4);
};
var A3 = function(i4) {
  queueMicrotask(function() {
    queueMicrotask(i4);
  });
};
function T4() {
  r3(function() {
    var i4;
    while (i4 = _4.shift()) h4.call(i4);
  });
}
function x3() {
  if (1 === _4.push(this)) (n2.requestAnimationFrame || q2)(T4);
}
function F3() {
  r3(function() {
    var i4;
    while (i4 = g4.shift()) h4.call(i4);
  });
}
function M2() {
  if (1 === g4.push(this)) (n2.requestAnimationFrame || A3)(F3);
}
function useSignalEffect(i4, n4) {
  var r4 = T2(i4);
  r4.current = i4;
  var t5 = d4;
  A2(function() {
    return x2(function() {
      this.N = x3;
      if (!(t5 && 8 & t5.__$f)) return r4.current();
    }, n4);
  }, []);
}

// node_modules/d3-selection/dist/d3-selection.mjs
var xhtml = "http://www.w3.org/1999/xhtml";
var namespaces = {
  svg: "http://www.w3.org/2000/svg",
  xhtml,
  xlink: "http://www.w3.org/1999/xlink",
  xml: "http://www.w3.org/XML/1998/namespace",
  xmlns: "http://www.w3.org/2000/xmlns/"
};
function namespace(name) {
  var prefix = name += "", i4 = prefix.indexOf(":");
  if (i4 >= 0 && (prefix = name.slice(0, i4)) !== "xmlns") name = name.slice(i4 + 1);
  return namespaces.hasOwnProperty(prefix) ? { space: namespaces[prefix], local: name } : name;
}
function creatorInherit(name) {
  return function() {
    var document2 = this.ownerDocument, uri = this.namespaceURI;
    return uri === xhtml && document2.documentElement.namespaceURI === xhtml ? document2.createElement(name) : document2.createElementNS(uri, name);
  };
}
function creatorFixed(fullname) {
  return function() {
    return this.ownerDocument.createElementNS(fullname.space, fullname.local);
  };
}
function creator(name) {
  var fullname = namespace(name);
  return (fullname.local ? creatorFixed : creatorInherit)(fullname);
}
function none() {
}
function selector(selector2) {
  return selector2 == null ? none : function() {
    return this.querySelector(selector2);
  };
}
function selection_select(select2) {
  if (typeof select2 !== "function") select2 = selector(select2);
  for (var groups = this._groups, m5 = groups.length, subgroups = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, subgroup = subgroups[j4] = new Array(n4), node, subnode, i4 = 0; i4 < n4; ++i4) {
      if ((node = group[i4]) && (subnode = select2.call(node, node.__data__, i4, group))) {
        if ("__data__" in node) subnode.__data__ = node.__data__;
        subgroup[i4] = subnode;
      }
    }
  }
  return new Selection(subgroups, this._parents);
}
function array(x4) {
  return x4 == null ? [] : Array.isArray(x4) ? x4 : Array.from(x4);
}
function empty() {
  return [];
}
function selectorAll(selector2) {
  return selector2 == null ? empty : function() {
    return this.querySelectorAll(selector2);
  };
}
function arrayAll(select2) {
  return function() {
    return array(select2.apply(this, arguments));
  };
}
function selection_selectAll(select2) {
  if (typeof select2 === "function") select2 = arrayAll(select2);
  else select2 = selectorAll(select2);
  for (var groups = this._groups, m5 = groups.length, subgroups = [], parents = [], j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, node, i4 = 0; i4 < n4; ++i4) {
      if (node = group[i4]) {
        subgroups.push(select2.call(node, node.__data__, i4, group));
        parents.push(node);
      }
    }
  }
  return new Selection(subgroups, parents);
}
function matcher(selector2) {
  return function() {
    return this.matches(selector2);
  };
}
function childMatcher(selector2) {
  return function(node) {
    return node.matches(selector2);
  };
}
var find = Array.prototype.find;
function childFind(match) {
  return function() {
    return find.call(this.children, match);
  };
}
function childFirst() {
  return this.firstElementChild;
}
function selection_selectChild(match) {
  return this.select(match == null ? childFirst : childFind(typeof match === "function" ? match : childMatcher(match)));
}
var filter = Array.prototype.filter;
function children() {
  return Array.from(this.children);
}
function childrenFilter(match) {
  return function() {
    return filter.call(this.children, match);
  };
}
function selection_selectChildren(match) {
  return this.selectAll(match == null ? children : childrenFilter(typeof match === "function" ? match : childMatcher(match)));
}
function selection_filter(match) {
  if (typeof match !== "function") match = matcher(match);
  for (var groups = this._groups, m5 = groups.length, subgroups = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, subgroup = subgroups[j4] = [], node, i4 = 0; i4 < n4; ++i4) {
      if ((node = group[i4]) && match.call(node, node.__data__, i4, group)) {
        subgroup.push(node);
      }
    }
  }
  return new Selection(subgroups, this._parents);
}
function sparse(update) {
  return new Array(update.length);
}
function selection_enter() {
  return new Selection(this._enter || this._groups.map(sparse), this._parents);
}
function EnterNode(parent, datum2) {
  this.ownerDocument = parent.ownerDocument;
  this.namespaceURI = parent.namespaceURI;
  this._next = null;
  this._parent = parent;
  this.__data__ = datum2;
}
EnterNode.prototype = {
  constructor: EnterNode,
  appendChild: function(child) {
    return this._parent.insertBefore(child, this._next);
  },
  insertBefore: function(child, next) {
    return this._parent.insertBefore(child, next);
  },
  querySelector: function(selector2) {
    return this._parent.querySelector(selector2);
  },
  querySelectorAll: function(selector2) {
    return this._parent.querySelectorAll(selector2);
  }
};
function constant(x4) {
  return function() {
    return x4;
  };
}
function bindIndex(parent, group, enter, update, exit, data) {
  var i4 = 0, node, groupLength = group.length, dataLength = data.length;
  for (; i4 < dataLength; ++i4) {
    if (node = group[i4]) {
      node.__data__ = data[i4];
      update[i4] = node;
    } else {
      enter[i4] = new EnterNode(parent, data[i4]);
    }
  }
  for (; i4 < groupLength; ++i4) {
    if (node = group[i4]) {
      exit[i4] = node;
    }
  }
}
function bindKey(parent, group, enter, update, exit, data, key) {
  var i4, node, nodeByKeyValue = /* @__PURE__ */ new Map(), groupLength = group.length, dataLength = data.length, keyValues = new Array(groupLength), keyValue;
  for (i4 = 0; i4 < groupLength; ++i4) {
    if (node = group[i4]) {
      keyValues[i4] = keyValue = key.call(node, node.__data__, i4, group) + "";
      if (nodeByKeyValue.has(keyValue)) {
        exit[i4] = node;
      } else {
        nodeByKeyValue.set(keyValue, node);
      }
    }
  }
  for (i4 = 0; i4 < dataLength; ++i4) {
    keyValue = key.call(parent, data[i4], i4, data) + "";
    if (node = nodeByKeyValue.get(keyValue)) {
      update[i4] = node;
      node.__data__ = data[i4];
      nodeByKeyValue.delete(keyValue);
    } else {
      enter[i4] = new EnterNode(parent, data[i4]);
    }
  }
  for (i4 = 0; i4 < groupLength; ++i4) {
    if ((node = group[i4]) && nodeByKeyValue.get(keyValues[i4]) === node) {
      exit[i4] = node;
    }
  }
}
function datum(node) {
  return node.__data__;
}
function selection_data(value, key) {
  if (!arguments.length) return Array.from(this, datum);
  var bind = key ? bindKey : bindIndex, parents = this._parents, groups = this._groups;
  if (typeof value !== "function") value = constant(value);
  for (var m5 = groups.length, update = new Array(m5), enter = new Array(m5), exit = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    var parent = parents[j4], group = groups[j4], groupLength = group.length, data = arraylike(value.call(parent, parent && parent.__data__, j4, parents)), dataLength = data.length, enterGroup = enter[j4] = new Array(dataLength), updateGroup = update[j4] = new Array(dataLength), exitGroup = exit[j4] = new Array(groupLength);
    bind(parent, group, enterGroup, updateGroup, exitGroup, data, key);
    for (var i0 = 0, i1 = 0, previous, next; i0 < dataLength; ++i0) {
      if (previous = enterGroup[i0]) {
        if (i0 >= i1) i1 = i0 + 1;
        while (!(next = updateGroup[i1]) && ++i1 < dataLength) ;
        previous._next = next || null;
      }
    }
  }
  update = new Selection(update, parents);
  update._enter = enter;
  update._exit = exit;
  return update;
}
function arraylike(data) {
  return typeof data === "object" && "length" in data ? data : Array.from(data);
}
function selection_exit() {
  return new Selection(this._exit || this._groups.map(sparse), this._parents);
}
function selection_join(onenter, onupdate, onexit) {
  var enter = this.enter(), update = this, exit = this.exit();
  if (typeof onenter === "function") {
    enter = onenter(enter);
    if (enter) enter = enter.selection();
  } else {
    enter = enter.append(onenter + "");
  }
  if (onupdate != null) {
    update = onupdate(update);
    if (update) update = update.selection();
  }
  if (onexit == null) exit.remove();
  else onexit(exit);
  return enter && update ? enter.merge(update).order() : update;
}
function selection_merge(context) {
  var selection2 = context.selection ? context.selection() : context;
  for (var groups0 = this._groups, groups1 = selection2._groups, m0 = groups0.length, m1 = groups1.length, m5 = Math.min(m0, m1), merges = new Array(m0), j4 = 0; j4 < m5; ++j4) {
    for (var group0 = groups0[j4], group1 = groups1[j4], n4 = group0.length, merge = merges[j4] = new Array(n4), node, i4 = 0; i4 < n4; ++i4) {
      if (node = group0[i4] || group1[i4]) {
        merge[i4] = node;
      }
    }
  }
  for (; j4 < m0; ++j4) {
    merges[j4] = groups0[j4];
  }
  return new Selection(merges, this._parents);
}
function selection_order() {
  for (var groups = this._groups, j4 = -1, m5 = groups.length; ++j4 < m5; ) {
    for (var group = groups[j4], i4 = group.length - 1, next = group[i4], node; --i4 >= 0; ) {
      if (node = group[i4]) {
        if (next && node.compareDocumentPosition(next) ^ 4) next.parentNode.insertBefore(node, next);
        next = node;
      }
    }
  }
  return this;
}
function selection_sort(compare) {
  if (!compare) compare = ascending;
  function compareNode(a4, b10) {
    return a4 && b10 ? compare(a4.__data__, b10.__data__) : !a4 - !b10;
  }
  for (var groups = this._groups, m5 = groups.length, sortgroups = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, sortgroup = sortgroups[j4] = new Array(n4), node, i4 = 0; i4 < n4; ++i4) {
      if (node = group[i4]) {
        sortgroup[i4] = node;
      }
    }
    sortgroup.sort(compareNode);
  }
  return new Selection(sortgroups, this._parents).order();
}
function ascending(a4, b10) {
  return a4 < b10 ? -1 : a4 > b10 ? 1 : a4 >= b10 ? 0 : NaN;
}
function selection_call() {
  var callback = arguments[0];
  arguments[0] = this;
  callback.apply(null, arguments);
  return this;
}
function selection_nodes() {
  return Array.from(this);
}
function selection_node() {
  for (var groups = this._groups, j4 = 0, m5 = groups.length; j4 < m5; ++j4) {
    for (var group = groups[j4], i4 = 0, n4 = group.length; i4 < n4; ++i4) {
      var node = group[i4];
      if (node) return node;
    }
  }
  return null;
}
function selection_size() {
  let size = 0;
  for (const node of this) ++size;
  return size;
}
function selection_empty() {
  return !this.node();
}
function selection_each(callback) {
  for (var groups = this._groups, j4 = 0, m5 = groups.length; j4 < m5; ++j4) {
    for (var group = groups[j4], i4 = 0, n4 = group.length, node; i4 < n4; ++i4) {
      if (node = group[i4]) callback.call(node, node.__data__, i4, group);
    }
  }
  return this;
}
function attrRemove(name) {
  return function() {
    this.removeAttribute(name);
  };
}
function attrRemoveNS(fullname) {
  return function() {
    this.removeAttributeNS(fullname.space, fullname.local);
  };
}
function attrConstant(name, value) {
  return function() {
    this.setAttribute(name, value);
  };
}
function attrConstantNS(fullname, value) {
  return function() {
    this.setAttributeNS(fullname.space, fullname.local, value);
  };
}
function attrFunction(name, value) {
  return function() {
    var v4 = value.apply(this, arguments);
    if (v4 == null) this.removeAttribute(name);
    else this.setAttribute(name, v4);
  };
}
function attrFunctionNS(fullname, value) {
  return function() {
    var v4 = value.apply(this, arguments);
    if (v4 == null) this.removeAttributeNS(fullname.space, fullname.local);
    else this.setAttributeNS(fullname.space, fullname.local, v4);
  };
}
function selection_attr(name, value) {
  var fullname = namespace(name);
  if (arguments.length < 2) {
    var node = this.node();
    return fullname.local ? node.getAttributeNS(fullname.space, fullname.local) : node.getAttribute(fullname);
  }
  return this.each((value == null ? fullname.local ? attrRemoveNS : attrRemove : typeof value === "function" ? fullname.local ? attrFunctionNS : attrFunction : fullname.local ? attrConstantNS : attrConstant)(fullname, value));
}
function defaultView(node) {
  return node.ownerDocument && node.ownerDocument.defaultView || node.document && node || node.defaultView;
}
function styleRemove(name) {
  return function() {
    this.style.removeProperty(name);
  };
}
function styleConstant(name, value, priority) {
  return function() {
    this.style.setProperty(name, value, priority);
  };
}
function styleFunction(name, value, priority) {
  return function() {
    var v4 = value.apply(this, arguments);
    if (v4 == null) this.style.removeProperty(name);
    else this.style.setProperty(name, v4, priority);
  };
}
function selection_style(name, value, priority) {
  return arguments.length > 1 ? this.each((value == null ? styleRemove : typeof value === "function" ? styleFunction : styleConstant)(name, value, priority == null ? "" : priority)) : styleValue(this.node(), name);
}
function styleValue(node, name) {
  return node.style.getPropertyValue(name) || defaultView(node).getComputedStyle(node, null).getPropertyValue(name);
}
function propertyRemove(name) {
  return function() {
    delete this[name];
  };
}
function propertyConstant(name, value) {
  return function() {
    this[name] = value;
  };
}
function propertyFunction(name, value) {
  return function() {
    var v4 = value.apply(this, arguments);
    if (v4 == null) delete this[name];
    else this[name] = v4;
  };
}
function selection_property(name, value) {
  return arguments.length > 1 ? this.each((value == null ? propertyRemove : typeof value === "function" ? propertyFunction : propertyConstant)(name, value)) : this.node()[name];
}
function classArray(string2) {
  return string2.trim().split(/^|\s+/);
}
function classList(node) {
  return node.classList || new ClassList(node);
}
function ClassList(node) {
  this._node = node;
  this._names = classArray(node.getAttribute("class") || "");
}
ClassList.prototype = {
  add: function(name) {
    var i4 = this._names.indexOf(name);
    if (i4 < 0) {
      this._names.push(name);
      this._node.setAttribute("class", this._names.join(" "));
    }
  },
  remove: function(name) {
    var i4 = this._names.indexOf(name);
    if (i4 >= 0) {
      this._names.splice(i4, 1);
      this._node.setAttribute("class", this._names.join(" "));
    }
  },
  contains: function(name) {
    return this._names.indexOf(name) >= 0;
  }
};
function classedAdd(node, names) {
  var list = classList(node), i4 = -1, n4 = names.length;
  while (++i4 < n4) list.add(names[i4]);
}
function classedRemove(node, names) {
  var list = classList(node), i4 = -1, n4 = names.length;
  while (++i4 < n4) list.remove(names[i4]);
}
function classedTrue(names) {
  return function() {
    classedAdd(this, names);
  };
}
function classedFalse(names) {
  return function() {
    classedRemove(this, names);
  };
}
function classedFunction(names, value) {
  return function() {
    (value.apply(this, arguments) ? classedAdd : classedRemove)(this, names);
  };
}
function selection_classed(name, value) {
  var names = classArray(name + "");
  if (arguments.length < 2) {
    var list = classList(this.node()), i4 = -1, n4 = names.length;
    while (++i4 < n4) if (!list.contains(names[i4])) return false;
    return true;
  }
  return this.each((typeof value === "function" ? classedFunction : value ? classedTrue : classedFalse)(names, value));
}
function textRemove() {
  this.textContent = "";
}
function textConstant(value) {
  return function() {
    this.textContent = value;
  };
}
function textFunction(value) {
  return function() {
    var v4 = value.apply(this, arguments);
    this.textContent = v4 == null ? "" : v4;
  };
}
function selection_text(value) {
  return arguments.length ? this.each(value == null ? textRemove : (typeof value === "function" ? textFunction : textConstant)(value)) : this.node().textContent;
}
function htmlRemove() {
  this.innerHTML = "";
}
function htmlConstant(value) {
  return function() {
    this.innerHTML = value;
  };
}
function htmlFunction(value) {
  return function() {
    var v4 = value.apply(this, arguments);
    this.innerHTML = v4 == null ? "" : v4;
  };
}
function selection_html(value) {
  return arguments.length ? this.each(value == null ? htmlRemove : (typeof value === "function" ? htmlFunction : htmlConstant)(value)) : this.node().innerHTML;
}
function raise() {
  if (this.nextSibling) this.parentNode.appendChild(this);
}
function selection_raise() {
  return this.each(raise);
}
function lower() {
  if (this.previousSibling) this.parentNode.insertBefore(this, this.parentNode.firstChild);
}
function selection_lower() {
  return this.each(lower);
}
function selection_append(name) {
  var create2 = typeof name === "function" ? name : creator(name);
  return this.select(function() {
    return this.appendChild(create2.apply(this, arguments));
  });
}
function constantNull() {
  return null;
}
function selection_insert(name, before) {
  var create2 = typeof name === "function" ? name : creator(name), select2 = before == null ? constantNull : typeof before === "function" ? before : selector(before);
  return this.select(function() {
    return this.insertBefore(create2.apply(this, arguments), select2.apply(this, arguments) || null);
  });
}
function remove() {
  var parent = this.parentNode;
  if (parent) parent.removeChild(this);
}
function selection_remove() {
  return this.each(remove);
}
function selection_cloneShallow() {
  var clone = this.cloneNode(false), parent = this.parentNode;
  return parent ? parent.insertBefore(clone, this.nextSibling) : clone;
}
function selection_cloneDeep() {
  var clone = this.cloneNode(true), parent = this.parentNode;
  return parent ? parent.insertBefore(clone, this.nextSibling) : clone;
}
function selection_clone(deep) {
  return this.select(deep ? selection_cloneDeep : selection_cloneShallow);
}
function selection_datum(value) {
  return arguments.length ? this.property("__data__", value) : this.node().__data__;
}
function contextListener(listener) {
  return function(event) {
    listener.call(this, event, this.__data__);
  };
}
function parseTypenames(typenames) {
  return typenames.trim().split(/^|\s+/).map(function(t5) {
    var name = "", i4 = t5.indexOf(".");
    if (i4 >= 0) name = t5.slice(i4 + 1), t5 = t5.slice(0, i4);
    return { type: t5, name };
  });
}
function onRemove(typename) {
  return function() {
    var on = this.__on;
    if (!on) return;
    for (var j4 = 0, i4 = -1, m5 = on.length, o4; j4 < m5; ++j4) {
      if (o4 = on[j4], (!typename.type || o4.type === typename.type) && o4.name === typename.name) {
        this.removeEventListener(o4.type, o4.listener, o4.options);
      } else {
        on[++i4] = o4;
      }
    }
    if (++i4) on.length = i4;
    else delete this.__on;
  };
}
function onAdd(typename, value, options) {
  return function() {
    var on = this.__on, o4, listener = contextListener(value);
    if (on) for (var j4 = 0, m5 = on.length; j4 < m5; ++j4) {
      if ((o4 = on[j4]).type === typename.type && o4.name === typename.name) {
        this.removeEventListener(o4.type, o4.listener, o4.options);
        this.addEventListener(o4.type, o4.listener = listener, o4.options = options);
        o4.value = value;
        return;
      }
    }
    this.addEventListener(typename.type, listener, options);
    o4 = { type: typename.type, name: typename.name, value, listener, options };
    if (!on) this.__on = [o4];
    else on.push(o4);
  };
}
function selection_on(typename, value, options) {
  var typenames = parseTypenames(typename + ""), i4, n4 = typenames.length, t5;
  if (arguments.length < 2) {
    var on = this.node().__on;
    if (on) for (var j4 = 0, m5 = on.length, o4; j4 < m5; ++j4) {
      for (i4 = 0, o4 = on[j4]; i4 < n4; ++i4) {
        if ((t5 = typenames[i4]).type === o4.type && t5.name === o4.name) {
          return o4.value;
        }
      }
    }
    return;
  }
  on = value ? onAdd : onRemove;
  for (i4 = 0; i4 < n4; ++i4) this.each(on(typenames[i4], value, options));
  return this;
}
function dispatchEvent(node, type, params) {
  var window2 = defaultView(node), event = window2.CustomEvent;
  if (typeof event === "function") {
    event = new event(type, params);
  } else {
    event = window2.document.createEvent("Event");
    if (params) event.initEvent(type, params.bubbles, params.cancelable), event.detail = params.detail;
    else event.initEvent(type, false, false);
  }
  node.dispatchEvent(event);
}
function dispatchConstant(type, params) {
  return function() {
    return dispatchEvent(this, type, params);
  };
}
function dispatchFunction(type, params) {
  return function() {
    return dispatchEvent(this, type, params.apply(this, arguments));
  };
}
function selection_dispatch(type, params) {
  return this.each((typeof params === "function" ? dispatchFunction : dispatchConstant)(type, params));
}
function* selection_iterator() {
  for (var groups = this._groups, j4 = 0, m5 = groups.length; j4 < m5; ++j4) {
    for (var group = groups[j4], i4 = 0, n4 = group.length, node; i4 < n4; ++i4) {
      if (node = group[i4]) yield node;
    }
  }
}
var root = [null];
function Selection(groups, parents) {
  this._groups = groups;
  this._parents = parents;
}
function selection() {
  return new Selection([[document.documentElement]], root);
}
function selection_selection() {
  return this;
}
Selection.prototype = selection.prototype = {
  constructor: Selection,
  select: selection_select,
  selectAll: selection_selectAll,
  selectChild: selection_selectChild,
  selectChildren: selection_selectChildren,
  filter: selection_filter,
  data: selection_data,
  enter: selection_enter,
  exit: selection_exit,
  join: selection_join,
  merge: selection_merge,
  selection: selection_selection,
  order: selection_order,
  sort: selection_sort,
  call: selection_call,
  nodes: selection_nodes,
  node: selection_node,
  size: selection_size,
  empty: selection_empty,
  each: selection_each,
  attr: selection_attr,
  style: selection_style,
  property: selection_property,
  classed: selection_classed,
  text: selection_text,
  html: selection_html,
  raise: selection_raise,
  lower: selection_lower,
  append: selection_append,
  insert: selection_insert,
  remove: selection_remove,
  clone: selection_clone,
  datum: selection_datum,
  on: selection_on,
  dispatch: selection_dispatch,
  [Symbol.iterator]: selection_iterator
};
function select(selector2) {
  return typeof selector2 === "string" ? new Selection([[document.querySelector(selector2)]], [document.documentElement]) : new Selection([[selector2]], root);
}
var nextId = 0;
function local() {
  return new Local();
}
function Local() {
  this._ = "@" + (++nextId).toString(36);
}
Local.prototype = local.prototype = {
  constructor: Local,
  get: function(node) {
    var id2 = this._;
    while (!(id2 in node)) if (!(node = node.parentNode)) return;
    return node[id2];
  },
  set: function(node, value) {
    return node[this._] = value;
  },
  remove: function(node) {
    return this._ in node && delete node[this._];
  },
  toString: function() {
    return this._;
  }
};
function sourceEvent(event) {
  let sourceEvent2;
  while (sourceEvent2 = event.sourceEvent) event = sourceEvent2;
  return event;
}
function pointer(event, node) {
  event = sourceEvent(event);
  if (node === void 0) node = event.currentTarget;
  if (node) {
    var svg = node.ownerSVGElement || node;
    if (svg.createSVGPoint) {
      var point = svg.createSVGPoint();
      point.x = event.clientX, point.y = event.clientY;
      point = point.matrixTransform(node.getScreenCTM().inverse());
      return [point.x, point.y];
    }
    if (node.getBoundingClientRect) {
      var rect = node.getBoundingClientRect();
      return [event.clientX - rect.left - node.clientLeft, event.clientY - rect.top - node.clientTop];
    }
  }
  return [event.pageX, event.pageY];
}

// node_modules/d3-color/dist/d3-color.mjs
function define(constructor, factory, prototype) {
  constructor.prototype = factory.prototype = prototype;
  prototype.constructor = constructor;
}
function extend(parent, definition) {
  var prototype = Object.create(parent.prototype);
  for (var key in definition) prototype[key] = definition[key];
  return prototype;
}
function Color() {
}
var darker = 0.7;
var brighter = 1 / darker;
var reI = "\\s*([+-]?\\d+)\\s*";
var reN = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*";
var reP = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*";
var reHex = /^#([0-9a-f]{3,8})$/;
var reRgbInteger = new RegExp(`^rgb\\(${reI},${reI},${reI}\\)$`);
var reRgbPercent = new RegExp(`^rgb\\(${reP},${reP},${reP}\\)$`);
var reRgbaInteger = new RegExp(`^rgba\\(${reI},${reI},${reI},${reN}\\)$`);
var reRgbaPercent = new RegExp(`^rgba\\(${reP},${reP},${reP},${reN}\\)$`);
var reHslPercent = new RegExp(`^hsl\\(${reN},${reP},${reP}\\)$`);
var reHslaPercent = new RegExp(`^hsla\\(${reN},${reP},${reP},${reN}\\)$`);
var named = {
  aliceblue: 15792383,
  antiquewhite: 16444375,
  aqua: 65535,
  aquamarine: 8388564,
  azure: 15794175,
  beige: 16119260,
  bisque: 16770244,
  black: 0,
  blanchedalmond: 16772045,
  blue: 255,
  blueviolet: 9055202,
  brown: 10824234,
  burlywood: 14596231,
  cadetblue: 6266528,
  chartreuse: 8388352,
  chocolate: 13789470,
  coral: 16744272,
  cornflowerblue: 6591981,
  cornsilk: 16775388,
  crimson: 14423100,
  cyan: 65535,
  darkblue: 139,
  darkcyan: 35723,
  darkgoldenrod: 12092939,
  darkgray: 11119017,
  darkgreen: 25600,
  darkgrey: 11119017,
  darkkhaki: 12433259,
  darkmagenta: 9109643,
  darkolivegreen: 5597999,
  darkorange: 16747520,
  darkorchid: 10040012,
  darkred: 9109504,
  darksalmon: 15308410,
  darkseagreen: 9419919,
  darkslateblue: 4734347,
  darkslategray: 3100495,
  darkslategrey: 3100495,
  darkturquoise: 52945,
  darkviolet: 9699539,
  deeppink: 16716947,
  deepskyblue: 49151,
  dimgray: 6908265,
  dimgrey: 6908265,
  dodgerblue: 2003199,
  firebrick: 11674146,
  floralwhite: 16775920,
  forestgreen: 2263842,
  fuchsia: 16711935,
  gainsboro: 14474460,
  ghostwhite: 16316671,
  gold: 16766720,
  goldenrod: 14329120,
  gray: 8421504,
  green: 32768,
  greenyellow: 11403055,
  grey: 8421504,
  honeydew: 15794160,
  hotpink: 16738740,
  indianred: 13458524,
  indigo: 4915330,
  ivory: 16777200,
  khaki: 15787660,
  lavender: 15132410,
  lavenderblush: 16773365,
  lawngreen: 8190976,
  lemonchiffon: 16775885,
  lightblue: 11393254,
  lightcoral: 15761536,
  lightcyan: 14745599,
  lightgoldenrodyellow: 16448210,
  lightgray: 13882323,
  lightgreen: 9498256,
  lightgrey: 13882323,
  lightpink: 16758465,
  lightsalmon: 16752762,
  lightseagreen: 2142890,
  lightskyblue: 8900346,
  lightslategray: 7833753,
  lightslategrey: 7833753,
  lightsteelblue: 11584734,
  lightyellow: 16777184,
  lime: 65280,
  limegreen: 3329330,
  linen: 16445670,
  magenta: 16711935,
  maroon: 8388608,
  mediumaquamarine: 6737322,
  mediumblue: 205,
  mediumorchid: 12211667,
  mediumpurple: 9662683,
  mediumseagreen: 3978097,
  mediumslateblue: 8087790,
  mediumspringgreen: 64154,
  mediumturquoise: 4772300,
  mediumvioletred: 13047173,
  midnightblue: 1644912,
  mintcream: 16121850,
  mistyrose: 16770273,
  moccasin: 16770229,
  navajowhite: 16768685,
  navy: 128,
  oldlace: 16643558,
  olive: 8421376,
  olivedrab: 7048739,
  orange: 16753920,
  orangered: 16729344,
  orchid: 14315734,
  palegoldenrod: 15657130,
  palegreen: 10025880,
  paleturquoise: 11529966,
  palevioletred: 14381203,
  papayawhip: 16773077,
  peachpuff: 16767673,
  peru: 13468991,
  pink: 16761035,
  plum: 14524637,
  powderblue: 11591910,
  purple: 8388736,
  rebeccapurple: 6697881,
  red: 16711680,
  rosybrown: 12357519,
  royalblue: 4286945,
  saddlebrown: 9127187,
  salmon: 16416882,
  sandybrown: 16032864,
  seagreen: 3050327,
  seashell: 16774638,
  sienna: 10506797,
  silver: 12632256,
  skyblue: 8900331,
  slateblue: 6970061,
  slategray: 7372944,
  slategrey: 7372944,
  snow: 16775930,
  springgreen: 65407,
  steelblue: 4620980,
  tan: 13808780,
  teal: 32896,
  thistle: 14204888,
  tomato: 16737095,
  turquoise: 4251856,
  violet: 15631086,
  wheat: 16113331,
  white: 16777215,
  whitesmoke: 16119285,
  yellow: 16776960,
  yellowgreen: 10145074
};
define(Color, color, {
  copy(channels) {
    return Object.assign(new this.constructor(), this, channels);
  },
  displayable() {
    return this.rgb().displayable();
  },
  hex: color_formatHex,
  // Deprecated! Use color.formatHex.
  formatHex: color_formatHex,
  formatHex8: color_formatHex8,
  formatHsl: color_formatHsl,
  formatRgb: color_formatRgb,
  toString: color_formatRgb
});
function color_formatHex() {
  return this.rgb().formatHex();
}
function color_formatHex8() {
  return this.rgb().formatHex8();
}
function color_formatHsl() {
  return hslConvert(this).formatHsl();
}
function color_formatRgb() {
  return this.rgb().formatRgb();
}
function color(format) {
  var m5, l4;
  format = (format + "").trim().toLowerCase();
  return (m5 = reHex.exec(format)) ? (l4 = m5[1].length, m5 = parseInt(m5[1], 16), l4 === 6 ? rgbn(m5) : l4 === 3 ? new Rgb(m5 >> 8 & 15 | m5 >> 4 & 240, m5 >> 4 & 15 | m5 & 240, (m5 & 15) << 4 | m5 & 15, 1) : l4 === 8 ? rgba(m5 >> 24 & 255, m5 >> 16 & 255, m5 >> 8 & 255, (m5 & 255) / 255) : l4 === 4 ? rgba(m5 >> 12 & 15 | m5 >> 8 & 240, m5 >> 8 & 15 | m5 >> 4 & 240, m5 >> 4 & 15 | m5 & 240, ((m5 & 15) << 4 | m5 & 15) / 255) : null) : (m5 = reRgbInteger.exec(format)) ? new Rgb(m5[1], m5[2], m5[3], 1) : (m5 = reRgbPercent.exec(format)) ? new Rgb(m5[1] * 255 / 100, m5[2] * 255 / 100, m5[3] * 255 / 100, 1) : (m5 = reRgbaInteger.exec(format)) ? rgba(m5[1], m5[2], m5[3], m5[4]) : (m5 = reRgbaPercent.exec(format)) ? rgba(m5[1] * 255 / 100, m5[2] * 255 / 100, m5[3] * 255 / 100, m5[4]) : (m5 = reHslPercent.exec(format)) ? hsla(m5[1], m5[2] / 100, m5[3] / 100, 1) : (m5 = reHslaPercent.exec(format)) ? hsla(m5[1], m5[2] / 100, m5[3] / 100, m5[4]) : named.hasOwnProperty(format) ? rgbn(named[format]) : format === "transparent" ? new Rgb(NaN, NaN, NaN, 0) : null;
}
function rgbn(n4) {
  return new Rgb(n4 >> 16 & 255, n4 >> 8 & 255, n4 & 255, 1);
}
function rgba(r4, g5, b10, a4) {
  if (a4 <= 0) r4 = g5 = b10 = NaN;
  return new Rgb(r4, g5, b10, a4);
}
function rgbConvert(o4) {
  if (!(o4 instanceof Color)) o4 = color(o4);
  if (!o4) return new Rgb();
  o4 = o4.rgb();
  return new Rgb(o4.r, o4.g, o4.b, o4.opacity);
}
function rgb(r4, g5, b10, opacity) {
  return arguments.length === 1 ? rgbConvert(r4) : new Rgb(r4, g5, b10, opacity == null ? 1 : opacity);
}
function Rgb(r4, g5, b10, opacity) {
  this.r = +r4;
  this.g = +g5;
  this.b = +b10;
  this.opacity = +opacity;
}
define(Rgb, rgb, extend(Color, {
  brighter(k4) {
    k4 = k4 == null ? brighter : Math.pow(brighter, k4);
    return new Rgb(this.r * k4, this.g * k4, this.b * k4, this.opacity);
  },
  darker(k4) {
    k4 = k4 == null ? darker : Math.pow(darker, k4);
    return new Rgb(this.r * k4, this.g * k4, this.b * k4, this.opacity);
  },
  rgb() {
    return this;
  },
  clamp() {
    return new Rgb(clampi(this.r), clampi(this.g), clampi(this.b), clampa(this.opacity));
  },
  displayable() {
    return -0.5 <= this.r && this.r < 255.5 && (-0.5 <= this.g && this.g < 255.5) && (-0.5 <= this.b && this.b < 255.5) && (0 <= this.opacity && this.opacity <= 1);
  },
  hex: rgb_formatHex,
  // Deprecated! Use color.formatHex.
  formatHex: rgb_formatHex,
  formatHex8: rgb_formatHex8,
  formatRgb: rgb_formatRgb,
  toString: rgb_formatRgb
}));
function rgb_formatHex() {
  return `#${hex(this.r)}${hex(this.g)}${hex(this.b)}`;
}
function rgb_formatHex8() {
  return `#${hex(this.r)}${hex(this.g)}${hex(this.b)}${hex((isNaN(this.opacity) ? 1 : this.opacity) * 255)}`;
}
function rgb_formatRgb() {
  const a4 = clampa(this.opacity);
  return `${a4 === 1 ? "rgb(" : "rgba("}${clampi(this.r)}, ${clampi(this.g)}, ${clampi(this.b)}${a4 === 1 ? ")" : `, ${a4})`}`;
}
function clampa(opacity) {
  return isNaN(opacity) ? 1 : Math.max(0, Math.min(1, opacity));
}
function clampi(value) {
  return Math.max(0, Math.min(255, Math.round(value) || 0));
}
function hex(value) {
  value = clampi(value);
  return (value < 16 ? "0" : "") + value.toString(16);
}
function hsla(h5, s4, l4, a4) {
  if (a4 <= 0) h5 = s4 = l4 = NaN;
  else if (l4 <= 0 || l4 >= 1) h5 = s4 = NaN;
  else if (s4 <= 0) h5 = NaN;
  return new Hsl(h5, s4, l4, a4);
}
function hslConvert(o4) {
  if (o4 instanceof Hsl) return new Hsl(o4.h, o4.s, o4.l, o4.opacity);
  if (!(o4 instanceof Color)) o4 = color(o4);
  if (!o4) return new Hsl();
  if (o4 instanceof Hsl) return o4;
  o4 = o4.rgb();
  var r4 = o4.r / 255, g5 = o4.g / 255, b10 = o4.b / 255, min = Math.min(r4, g5, b10), max = Math.max(r4, g5, b10), h5 = NaN, s4 = max - min, l4 = (max + min) / 2;
  if (s4) {
    if (r4 === max) h5 = (g5 - b10) / s4 + (g5 < b10) * 6;
    else if (g5 === max) h5 = (b10 - r4) / s4 + 2;
    else h5 = (r4 - g5) / s4 + 4;
    s4 /= l4 < 0.5 ? max + min : 2 - max - min;
    h5 *= 60;
  } else {
    s4 = l4 > 0 && l4 < 1 ? 0 : h5;
  }
  return new Hsl(h5, s4, l4, o4.opacity);
}
function hsl(h5, s4, l4, opacity) {
  return arguments.length === 1 ? hslConvert(h5) : new Hsl(h5, s4, l4, opacity == null ? 1 : opacity);
}
function Hsl(h5, s4, l4, opacity) {
  this.h = +h5;
  this.s = +s4;
  this.l = +l4;
  this.opacity = +opacity;
}
define(Hsl, hsl, extend(Color, {
  brighter(k4) {
    k4 = k4 == null ? brighter : Math.pow(brighter, k4);
    return new Hsl(this.h, this.s, this.l * k4, this.opacity);
  },
  darker(k4) {
    k4 = k4 == null ? darker : Math.pow(darker, k4);
    return new Hsl(this.h, this.s, this.l * k4, this.opacity);
  },
  rgb() {
    var h5 = this.h % 360 + (this.h < 0) * 360, s4 = isNaN(h5) || isNaN(this.s) ? 0 : this.s, l4 = this.l, m22 = l4 + (l4 < 0.5 ? l4 : 1 - l4) * s4, m1 = 2 * l4 - m22;
    return new Rgb(
      hsl2rgb(h5 >= 240 ? h5 - 240 : h5 + 120, m1, m22),
      hsl2rgb(h5, m1, m22),
      hsl2rgb(h5 < 120 ? h5 + 240 : h5 - 120, m1, m22),
      this.opacity
    );
  },
  clamp() {
    return new Hsl(clamph(this.h), clampt(this.s), clampt(this.l), clampa(this.opacity));
  },
  displayable() {
    return (0 <= this.s && this.s <= 1 || isNaN(this.s)) && (0 <= this.l && this.l <= 1) && (0 <= this.opacity && this.opacity <= 1);
  },
  formatHsl() {
    const a4 = clampa(this.opacity);
    return `${a4 === 1 ? "hsl(" : "hsla("}${clamph(this.h)}, ${clampt(this.s) * 100}%, ${clampt(this.l) * 100}%${a4 === 1 ? ")" : `, ${a4})`}`;
  }
}));
function clamph(value) {
  value = (value || 0) % 360;
  return value < 0 ? value + 360 : value;
}
function clampt(value) {
  return Math.max(0, Math.min(1, value || 0));
}
function hsl2rgb(h5, m1, m22) {
  return (h5 < 60 ? m1 + (m22 - m1) * h5 / 60 : h5 < 180 ? m22 : h5 < 240 ? m1 + (m22 - m1) * (240 - h5) / 60 : m1) * 255;
}
var radians = Math.PI / 180;
var degrees = 180 / Math.PI;
var K2 = 18;
var Xn = 0.96422;
var Yn = 1;
var Zn = 0.82521;
var t0 = 4 / 29;
var t1 = 6 / 29;
var t22 = 3 * t1 * t1;
var t32 = t1 * t1 * t1;
function labConvert(o4) {
  if (o4 instanceof Lab) return new Lab(o4.l, o4.a, o4.b, o4.opacity);
  if (o4 instanceof Hcl) return hcl2lab(o4);
  if (!(o4 instanceof Rgb)) o4 = rgbConvert(o4);
  var r4 = rgb2lrgb(o4.r), g5 = rgb2lrgb(o4.g), b10 = rgb2lrgb(o4.b), y5 = xyz2lab((0.2225045 * r4 + 0.7168786 * g5 + 0.0606169 * b10) / Yn), x4, z3;
  if (r4 === g5 && g5 === b10) x4 = z3 = y5;
  else {
    x4 = xyz2lab((0.4360747 * r4 + 0.3850649 * g5 + 0.1430804 * b10) / Xn);
    z3 = xyz2lab((0.0139322 * r4 + 0.0971045 * g5 + 0.7141733 * b10) / Zn);
  }
  return new Lab(116 * y5 - 16, 500 * (x4 - y5), 200 * (y5 - z3), o4.opacity);
}
function lab(l4, a4, b10, opacity) {
  return arguments.length === 1 ? labConvert(l4) : new Lab(l4, a4, b10, opacity == null ? 1 : opacity);
}
function Lab(l4, a4, b10, opacity) {
  this.l = +l4;
  this.a = +a4;
  this.b = +b10;
  this.opacity = +opacity;
}
define(Lab, lab, extend(Color, {
  brighter(k4) {
    return new Lab(this.l + K2 * (k4 == null ? 1 : k4), this.a, this.b, this.opacity);
  },
  darker(k4) {
    return new Lab(this.l - K2 * (k4 == null ? 1 : k4), this.a, this.b, this.opacity);
  },
  rgb() {
    var y5 = (this.l + 16) / 116, x4 = isNaN(this.a) ? y5 : y5 + this.a / 500, z3 = isNaN(this.b) ? y5 : y5 - this.b / 200;
    x4 = Xn * lab2xyz(x4);
    y5 = Yn * lab2xyz(y5);
    z3 = Zn * lab2xyz(z3);
    return new Rgb(
      lrgb2rgb(3.1338561 * x4 - 1.6168667 * y5 - 0.4906146 * z3),
      lrgb2rgb(-0.9787684 * x4 + 1.9161415 * y5 + 0.033454 * z3),
      lrgb2rgb(0.0719453 * x4 - 0.2289914 * y5 + 1.4052427 * z3),
      this.opacity
    );
  }
}));
function xyz2lab(t5) {
  return t5 > t32 ? Math.pow(t5, 1 / 3) : t5 / t22 + t0;
}
function lab2xyz(t5) {
  return t5 > t1 ? t5 * t5 * t5 : t22 * (t5 - t0);
}
function lrgb2rgb(x4) {
  return 255 * (x4 <= 31308e-7 ? 12.92 * x4 : 1.055 * Math.pow(x4, 1 / 2.4) - 0.055);
}
function rgb2lrgb(x4) {
  return (x4 /= 255) <= 0.04045 ? x4 / 12.92 : Math.pow((x4 + 0.055) / 1.055, 2.4);
}
function hclConvert(o4) {
  if (o4 instanceof Hcl) return new Hcl(o4.h, o4.c, o4.l, o4.opacity);
  if (!(o4 instanceof Lab)) o4 = labConvert(o4);
  if (o4.a === 0 && o4.b === 0) return new Hcl(NaN, 0 < o4.l && o4.l < 100 ? 0 : NaN, o4.l, o4.opacity);
  var h5 = Math.atan2(o4.b, o4.a) * degrees;
  return new Hcl(h5 < 0 ? h5 + 360 : h5, Math.sqrt(o4.a * o4.a + o4.b * o4.b), o4.l, o4.opacity);
}
function hcl(h5, c4, l4, opacity) {
  return arguments.length === 1 ? hclConvert(h5) : new Hcl(h5, c4, l4, opacity == null ? 1 : opacity);
}
function Hcl(h5, c4, l4, opacity) {
  this.h = +h5;
  this.c = +c4;
  this.l = +l4;
  this.opacity = +opacity;
}
function hcl2lab(o4) {
  if (isNaN(o4.h)) return new Lab(o4.l, 0, 0, o4.opacity);
  var h5 = o4.h * radians;
  return new Lab(o4.l, Math.cos(h5) * o4.c, Math.sin(h5) * o4.c, o4.opacity);
}
define(Hcl, hcl, extend(Color, {
  brighter(k4) {
    return new Hcl(this.h, this.c, this.l + K2 * (k4 == null ? 1 : k4), this.opacity);
  },
  darker(k4) {
    return new Hcl(this.h, this.c, this.l - K2 * (k4 == null ? 1 : k4), this.opacity);
  },
  rgb() {
    return hcl2lab(this).rgb();
  }
}));
var A4 = -0.14861;
var B3 = 1.78277;
var C3 = -0.29227;
var D3 = -0.90649;
var E4 = 1.97294;
var ED = E4 * D3;
var EB = E4 * B3;
var BC_DA = B3 * C3 - D3 * A4;
function cubehelixConvert(o4) {
  if (o4 instanceof Cubehelix) return new Cubehelix(o4.h, o4.s, o4.l, o4.opacity);
  if (!(o4 instanceof Rgb)) o4 = rgbConvert(o4);
  var r4 = o4.r / 255, g5 = o4.g / 255, b10 = o4.b / 255, l4 = (BC_DA * b10 + ED * r4 - EB * g5) / (BC_DA + ED - EB), bl = b10 - l4, k4 = (E4 * (g5 - l4) - C3 * bl) / D3, s4 = Math.sqrt(k4 * k4 + bl * bl) / (E4 * l4 * (1 - l4)), h5 = s4 ? Math.atan2(k4, bl) * degrees - 120 : NaN;
  return new Cubehelix(h5 < 0 ? h5 + 360 : h5, s4, l4, o4.opacity);
}
function cubehelix(h5, s4, l4, opacity) {
  return arguments.length === 1 ? cubehelixConvert(h5) : new Cubehelix(h5, s4, l4, opacity == null ? 1 : opacity);
}
function Cubehelix(h5, s4, l4, opacity) {
  this.h = +h5;
  this.s = +s4;
  this.l = +l4;
  this.opacity = +opacity;
}
define(Cubehelix, cubehelix, extend(Color, {
  brighter(k4) {
    k4 = k4 == null ? brighter : Math.pow(brighter, k4);
    return new Cubehelix(this.h, this.s, this.l * k4, this.opacity);
  },
  darker(k4) {
    k4 = k4 == null ? darker : Math.pow(darker, k4);
    return new Cubehelix(this.h, this.s, this.l * k4, this.opacity);
  },
  rgb() {
    var h5 = isNaN(this.h) ? 0 : (this.h + 120) * radians, l4 = +this.l, a4 = isNaN(this.s) ? 0 : this.s * l4 * (1 - l4), cosh2 = Math.cos(h5), sinh2 = Math.sin(h5);
    return new Rgb(
      255 * (l4 + a4 * (A4 * cosh2 + B3 * sinh2)),
      255 * (l4 + a4 * (C3 * cosh2 + D3 * sinh2)),
      255 * (l4 + a4 * (E4 * cosh2)),
      this.opacity
    );
  }
}));

// node_modules/d3-interpolate/dist/d3-interpolate.mjs
function basis(t12, v0, v1, v22, v32) {
  var t23 = t12 * t12, t33 = t23 * t12;
  return ((1 - 3 * t12 + 3 * t23 - t33) * v0 + (4 - 6 * t23 + 3 * t33) * v1 + (1 + 3 * t12 + 3 * t23 - 3 * t33) * v22 + t33 * v32) / 6;
}
function basis$1(values) {
  var n4 = values.length - 1;
  return function(t5) {
    var i4 = t5 <= 0 ? t5 = 0 : t5 >= 1 ? (t5 = 1, n4 - 1) : Math.floor(t5 * n4), v1 = values[i4], v22 = values[i4 + 1], v0 = i4 > 0 ? values[i4 - 1] : 2 * v1 - v22, v32 = i4 < n4 - 1 ? values[i4 + 2] : 2 * v22 - v1;
    return basis((t5 - i4 / n4) * n4, v0, v1, v22, v32);
  };
}
function basisClosed(values) {
  var n4 = values.length;
  return function(t5) {
    var i4 = Math.floor(((t5 %= 1) < 0 ? ++t5 : t5) * n4), v0 = values[(i4 + n4 - 1) % n4], v1 = values[i4 % n4], v22 = values[(i4 + 1) % n4], v32 = values[(i4 + 2) % n4];
    return basis((t5 - i4 / n4) * n4, v0, v1, v22, v32);
  };
}
var constant2 = (x4) => () => x4;
function linear(a4, d5) {
  return function(t5) {
    return a4 + t5 * d5;
  };
}
function exponential(a4, b10, y5) {
  return a4 = Math.pow(a4, y5), b10 = Math.pow(b10, y5) - a4, y5 = 1 / y5, function(t5) {
    return Math.pow(a4 + t5 * b10, y5);
  };
}
function hue$1(a4, b10) {
  var d5 = b10 - a4;
  return d5 ? linear(a4, d5 > 180 || d5 < -180 ? d5 - 360 * Math.round(d5 / 360) : d5) : constant2(isNaN(a4) ? b10 : a4);
}
function gamma(y5) {
  return (y5 = +y5) === 1 ? nogamma : function(a4, b10) {
    return b10 - a4 ? exponential(a4, b10, y5) : constant2(isNaN(a4) ? b10 : a4);
  };
}
function nogamma(a4, b10) {
  var d5 = b10 - a4;
  return d5 ? linear(a4, d5) : constant2(isNaN(a4) ? b10 : a4);
}
var rgb2 = (function rgbGamma(y5) {
  var color2 = gamma(y5);
  function rgb3(start2, end) {
    var r4 = color2((start2 = rgb(start2)).r, (end = rgb(end)).r), g5 = color2(start2.g, end.g), b10 = color2(start2.b, end.b), opacity = nogamma(start2.opacity, end.opacity);
    return function(t5) {
      start2.r = r4(t5);
      start2.g = g5(t5);
      start2.b = b10(t5);
      start2.opacity = opacity(t5);
      return start2 + "";
    };
  }
  rgb3.gamma = rgbGamma;
  return rgb3;
})(1);
function rgbSpline(spline) {
  return function(colors) {
    var n4 = colors.length, r4 = new Array(n4), g5 = new Array(n4), b10 = new Array(n4), i4, color2;
    for (i4 = 0; i4 < n4; ++i4) {
      color2 = rgb(colors[i4]);
      r4[i4] = color2.r || 0;
      g5[i4] = color2.g || 0;
      b10[i4] = color2.b || 0;
    }
    r4 = spline(r4);
    g5 = spline(g5);
    b10 = spline(b10);
    color2.opacity = 1;
    return function(t5) {
      color2.r = r4(t5);
      color2.g = g5(t5);
      color2.b = b10(t5);
      return color2 + "";
    };
  };
}
var rgbBasis = rgbSpline(basis$1);
var rgbBasisClosed = rgbSpline(basisClosed);
function number(a4, b10) {
  return a4 = +a4, b10 = +b10, function(t5) {
    return a4 * (1 - t5) + b10 * t5;
  };
}
var reA = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g;
var reB = new RegExp(reA.source, "g");
function zero(b10) {
  return function() {
    return b10;
  };
}
function one(b10) {
  return function(t5) {
    return b10(t5) + "";
  };
}
function string(a4, b10) {
  var bi = reA.lastIndex = reB.lastIndex = 0, am, bm, bs, i4 = -1, s4 = [], q3 = [];
  a4 = a4 + "", b10 = b10 + "";
  while ((am = reA.exec(a4)) && (bm = reB.exec(b10))) {
    if ((bs = bm.index) > bi) {
      bs = b10.slice(bi, bs);
      if (s4[i4]) s4[i4] += bs;
      else s4[++i4] = bs;
    }
    if ((am = am[0]) === (bm = bm[0])) {
      if (s4[i4]) s4[i4] += bm;
      else s4[++i4] = bm;
    } else {
      s4[++i4] = null;
      q3.push({ i: i4, x: number(am, bm) });
    }
    bi = reB.lastIndex;
  }
  if (bi < b10.length) {
    bs = b10.slice(bi);
    if (s4[i4]) s4[i4] += bs;
    else s4[++i4] = bs;
  }
  return s4.length < 2 ? q3[0] ? one(q3[0].x) : zero(b10) : (b10 = q3.length, function(t5) {
    for (var i5 = 0, o4; i5 < b10; ++i5) s4[(o4 = q3[i5]).i] = o4.x(t5);
    return s4.join("");
  });
}
var degrees2 = 180 / Math.PI;
var identity = {
  translateX: 0,
  translateY: 0,
  rotate: 0,
  skewX: 0,
  scaleX: 1,
  scaleY: 1
};
function decompose(a4, b10, c4, d5, e4, f4) {
  var scaleX, scaleY, skewX;
  if (scaleX = Math.sqrt(a4 * a4 + b10 * b10)) a4 /= scaleX, b10 /= scaleX;
  if (skewX = a4 * c4 + b10 * d5) c4 -= a4 * skewX, d5 -= b10 * skewX;
  if (scaleY = Math.sqrt(c4 * c4 + d5 * d5)) c4 /= scaleY, d5 /= scaleY, skewX /= scaleY;
  if (a4 * d5 < b10 * c4) a4 = -a4, b10 = -b10, skewX = -skewX, scaleX = -scaleX;
  return {
    translateX: e4,
    translateY: f4,
    rotate: Math.atan2(b10, a4) * degrees2,
    skewX: Math.atan(skewX) * degrees2,
    scaleX,
    scaleY
  };
}
var svgNode;
function parseCss(value) {
  const m5 = new (typeof DOMMatrix === "function" ? DOMMatrix : WebKitCSSMatrix)(value + "");
  return m5.isIdentity ? identity : decompose(m5.a, m5.b, m5.c, m5.d, m5.e, m5.f);
}
function parseSvg(value) {
  if (value == null) return identity;
  if (!svgNode) svgNode = document.createElementNS("http://www.w3.org/2000/svg", "g");
  svgNode.setAttribute("transform", value);
  if (!(value = svgNode.transform.baseVal.consolidate())) return identity;
  value = value.matrix;
  return decompose(value.a, value.b, value.c, value.d, value.e, value.f);
}
function interpolateTransform(parse, pxComma, pxParen, degParen) {
  function pop(s4) {
    return s4.length ? s4.pop() + " " : "";
  }
  function translate(xa, ya, xb, yb, s4, q3) {
    if (xa !== xb || ya !== yb) {
      var i4 = s4.push("translate(", null, pxComma, null, pxParen);
      q3.push({ i: i4 - 4, x: number(xa, xb) }, { i: i4 - 2, x: number(ya, yb) });
    } else if (xb || yb) {
      s4.push("translate(" + xb + pxComma + yb + pxParen);
    }
  }
  function rotate(a4, b10, s4, q3) {
    if (a4 !== b10) {
      if (a4 - b10 > 180) b10 += 360;
      else if (b10 - a4 > 180) a4 += 360;
      q3.push({ i: s4.push(pop(s4) + "rotate(", null, degParen) - 2, x: number(a4, b10) });
    } else if (b10) {
      s4.push(pop(s4) + "rotate(" + b10 + degParen);
    }
  }
  function skewX(a4, b10, s4, q3) {
    if (a4 !== b10) {
      q3.push({ i: s4.push(pop(s4) + "skewX(", null, degParen) - 2, x: number(a4, b10) });
    } else if (b10) {
      s4.push(pop(s4) + "skewX(" + b10 + degParen);
    }
  }
  function scale(xa, ya, xb, yb, s4, q3) {
    if (xa !== xb || ya !== yb) {
      var i4 = s4.push(pop(s4) + "scale(", null, ",", null, ")");
      q3.push({ i: i4 - 4, x: number(xa, xb) }, { i: i4 - 2, x: number(ya, yb) });
    } else if (xb !== 1 || yb !== 1) {
      s4.push(pop(s4) + "scale(" + xb + "," + yb + ")");
    }
  }
  return function(a4, b10) {
    var s4 = [], q3 = [];
    a4 = parse(a4), b10 = parse(b10);
    translate(a4.translateX, a4.translateY, b10.translateX, b10.translateY, s4, q3);
    rotate(a4.rotate, b10.rotate, s4, q3);
    skewX(a4.skewX, b10.skewX, s4, q3);
    scale(a4.scaleX, a4.scaleY, b10.scaleX, b10.scaleY, s4, q3);
    a4 = b10 = null;
    return function(t5) {
      var i4 = -1, n4 = q3.length, o4;
      while (++i4 < n4) s4[(o4 = q3[i4]).i] = o4.x(t5);
      return s4.join("");
    };
  };
}
var interpolateTransformCss = interpolateTransform(parseCss, "px, ", "px)", "deg)");
var interpolateTransformSvg = interpolateTransform(parseSvg, ", ", ")", ")");
var epsilon2 = 1e-12;
function cosh(x4) {
  return ((x4 = Math.exp(x4)) + 1 / x4) / 2;
}
function sinh(x4) {
  return ((x4 = Math.exp(x4)) - 1 / x4) / 2;
}
function tanh(x4) {
  return ((x4 = Math.exp(2 * x4)) - 1) / (x4 + 1);
}
var zoom = (function zoomRho(rho, rho2, rho4) {
  function zoom3(p0, p1) {
    var ux0 = p0[0], uy0 = p0[1], w0 = p0[2], ux1 = p1[0], uy1 = p1[1], w1 = p1[2], dx = ux1 - ux0, dy = uy1 - uy0, d22 = dx * dx + dy * dy, i4, S3;
    if (d22 < epsilon2) {
      S3 = Math.log(w1 / w0) / rho;
      i4 = function(t5) {
        return [
          ux0 + t5 * dx,
          uy0 + t5 * dy,
          w0 * Math.exp(rho * t5 * S3)
        ];
      };
    } else {
      var d1 = Math.sqrt(d22), b02 = (w1 * w1 - w0 * w0 + rho4 * d22) / (2 * w0 * rho2 * d1), b12 = (w1 * w1 - w0 * w0 - rho4 * d22) / (2 * w1 * rho2 * d1), r0 = Math.log(Math.sqrt(b02 * b02 + 1) - b02), r1 = Math.log(Math.sqrt(b12 * b12 + 1) - b12);
      S3 = (r1 - r0) / rho;
      i4 = function(t5) {
        var s4 = t5 * S3, coshr0 = cosh(r0), u4 = w0 / (rho2 * d1) * (coshr0 * tanh(rho * s4 + r0) - sinh(r0));
        return [
          ux0 + u4 * dx,
          uy0 + u4 * dy,
          w0 * coshr0 / cosh(rho * s4 + r0)
        ];
      };
    }
    i4.duration = Math.abs(S3) * 1e3 * rho / Math.SQRT2;
    return i4;
  }
  zoom3.rho = function(_5) {
    var _1 = Math.max(1e-3, +_5), _22 = _1 * _1, _42 = _22 * _22;
    return zoomRho(_1, _22, _42);
  };
  return zoom3;
})(Math.SQRT2, 2, 4);
function hsl2(hue) {
  return function(start2, end) {
    var h5 = hue((start2 = hsl(start2)).h, (end = hsl(end)).h), s4 = nogamma(start2.s, end.s), l4 = nogamma(start2.l, end.l), opacity = nogamma(start2.opacity, end.opacity);
    return function(t5) {
      start2.h = h5(t5);
      start2.s = s4(t5);
      start2.l = l4(t5);
      start2.opacity = opacity(t5);
      return start2 + "";
    };
  };
}
var hsl_default = hsl2(hue$1);
var hslLong = hsl2(nogamma);
function hcl2(hue) {
  return function(start2, end) {
    var h5 = hue((start2 = hcl(start2)).h, (end = hcl(end)).h), c4 = nogamma(start2.c, end.c), l4 = nogamma(start2.l, end.l), opacity = nogamma(start2.opacity, end.opacity);
    return function(t5) {
      start2.h = h5(t5);
      start2.c = c4(t5);
      start2.l = l4(t5);
      start2.opacity = opacity(t5);
      return start2 + "";
    };
  };
}
var hcl_default = hcl2(hue$1);
var hclLong = hcl2(nogamma);
function cubehelix2(hue) {
  return (function cubehelixGamma(y5) {
    y5 = +y5;
    function cubehelix3(start2, end) {
      var h5 = hue((start2 = cubehelix(start2)).h, (end = cubehelix(end)).h), s4 = nogamma(start2.s, end.s), l4 = nogamma(start2.l, end.l), opacity = nogamma(start2.opacity, end.opacity);
      return function(t5) {
        start2.h = h5(t5);
        start2.s = s4(t5);
        start2.l = l4(Math.pow(t5, y5));
        start2.opacity = opacity(t5);
        return start2 + "";
      };
    }
    cubehelix3.gamma = cubehelixGamma;
    return cubehelix3;
  })(1);
}
var cubehelix_default = cubehelix2(hue$1);
var cubehelixLong = cubehelix2(nogamma);

// node_modules/d3-dispatch/dist/d3-dispatch.mjs
var noop = { value: () => {
} };
function dispatch() {
  for (var i4 = 0, n4 = arguments.length, _5 = {}, t5; i4 < n4; ++i4) {
    if (!(t5 = arguments[i4] + "") || t5 in _5 || /[\s.]/.test(t5)) throw new Error("illegal type: " + t5);
    _5[t5] = [];
  }
  return new Dispatch(_5);
}
function Dispatch(_5) {
  this._ = _5;
}
function parseTypenames2(typenames, types) {
  return typenames.trim().split(/^|\s+/).map(function(t5) {
    var name = "", i4 = t5.indexOf(".");
    if (i4 >= 0) name = t5.slice(i4 + 1), t5 = t5.slice(0, i4);
    if (t5 && !types.hasOwnProperty(t5)) throw new Error("unknown type: " + t5);
    return { type: t5, name };
  });
}
Dispatch.prototype = dispatch.prototype = {
  constructor: Dispatch,
  on: function(typename, callback) {
    var _5 = this._, T5 = parseTypenames2(typename + "", _5), t5, i4 = -1, n4 = T5.length;
    if (arguments.length < 2) {
      while (++i4 < n4) if ((t5 = (typename = T5[i4]).type) && (t5 = get(_5[t5], typename.name))) return t5;
      return;
    }
    if (callback != null && typeof callback !== "function") throw new Error("invalid callback: " + callback);
    while (++i4 < n4) {
      if (t5 = (typename = T5[i4]).type) _5[t5] = set(_5[t5], typename.name, callback);
      else if (callback == null) for (t5 in _5) _5[t5] = set(_5[t5], typename.name, null);
    }
    return this;
  },
  copy: function() {
    var copy = {}, _5 = this._;
    for (var t5 in _5) copy[t5] = _5[t5].slice();
    return new Dispatch(copy);
  },
  call: function(type, that) {
    if ((n4 = arguments.length - 2) > 0) for (var args = new Array(n4), i4 = 0, n4, t5; i4 < n4; ++i4) args[i4] = arguments[i4 + 2];
    if (!this._.hasOwnProperty(type)) throw new Error("unknown type: " + type);
    for (t5 = this._[type], i4 = 0, n4 = t5.length; i4 < n4; ++i4) t5[i4].value.apply(that, args);
  },
  apply: function(type, that, args) {
    if (!this._.hasOwnProperty(type)) throw new Error("unknown type: " + type);
    for (var t5 = this._[type], i4 = 0, n4 = t5.length; i4 < n4; ++i4) t5[i4].value.apply(that, args);
  }
};
function get(type, name) {
  for (var i4 = 0, n4 = type.length, c4; i4 < n4; ++i4) {
    if ((c4 = type[i4]).name === name) {
      return c4.value;
    }
  }
}
function set(type, name, callback) {
  for (var i4 = 0, n4 = type.length; i4 < n4; ++i4) {
    if (type[i4].name === name) {
      type[i4] = noop, type = type.slice(0, i4).concat(type.slice(i4 + 1));
      break;
    }
  }
  if (callback != null) type.push({ name, value: callback });
  return type;
}

// node_modules/d3-drag/dist/d3-drag.mjs
var nonpassivecapture = { capture: true, passive: false };
function noevent(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
function nodrag(view) {
  var root2 = view.document.documentElement, selection2 = select(view).on("dragstart.drag", noevent, nonpassivecapture);
  if ("onselectstart" in root2) {
    selection2.on("selectstart.drag", noevent, nonpassivecapture);
  } else {
    root2.__noselect = root2.style.MozUserSelect;
    root2.style.MozUserSelect = "none";
  }
}
function yesdrag(view, noclick) {
  var root2 = view.document.documentElement, selection2 = select(view).on("dragstart.drag", null);
  if (noclick) {
    selection2.on("click.drag", noevent, nonpassivecapture);
    setTimeout(function() {
      selection2.on("click.drag", null);
    }, 0);
  }
  if ("onselectstart" in root2) {
    selection2.on("selectstart.drag", null);
  } else {
    root2.style.MozUserSelect = root2.__noselect;
    delete root2.__noselect;
  }
}
function DragEvent(type, {
  sourceEvent: sourceEvent2,
  subject,
  target,
  identifier,
  active,
  x: x4,
  y: y5,
  dx,
  dy,
  dispatch: dispatch2
}) {
  Object.defineProperties(this, {
    type: { value: type, enumerable: true, configurable: true },
    sourceEvent: { value: sourceEvent2, enumerable: true, configurable: true },
    subject: { value: subject, enumerable: true, configurable: true },
    target: { value: target, enumerable: true, configurable: true },
    identifier: { value: identifier, enumerable: true, configurable: true },
    active: { value: active, enumerable: true, configurable: true },
    x: { value: x4, enumerable: true, configurable: true },
    y: { value: y5, enumerable: true, configurable: true },
    dx: { value: dx, enumerable: true, configurable: true },
    dy: { value: dy, enumerable: true, configurable: true },
    _: { value: dispatch2 }
  });
}
DragEvent.prototype.on = function() {
  var value = this._.on.apply(this._, arguments);
  return value === this._ ? this : value;
};

// node_modules/d3-timer/dist/d3-timer.mjs
var frame = 0;
var timeout$1 = 0;
var interval$1 = 0;
var pokeDelay = 1e3;
var taskHead;
var taskTail;
var clockLast = 0;
var clockNow = 0;
var clockSkew = 0;
var clock = typeof performance === "object" && performance.now ? performance : Date;
var setFrame = typeof window === "object" && window.requestAnimationFrame ? window.requestAnimationFrame.bind(window) : function(f4) {
  setTimeout(f4, 17);
};
function now() {
  return clockNow || (setFrame(clearNow), clockNow = clock.now() + clockSkew);
}
function clearNow() {
  clockNow = 0;
}
function Timer() {
  this._call = this._time = this._next = null;
}
Timer.prototype = timer.prototype = {
  constructor: Timer,
  restart: function(callback, delay, time) {
    if (typeof callback !== "function") throw new TypeError("callback is not a function");
    time = (time == null ? now() : +time) + (delay == null ? 0 : +delay);
    if (!this._next && taskTail !== this) {
      if (taskTail) taskTail._next = this;
      else taskHead = this;
      taskTail = this;
    }
    this._call = callback;
    this._time = time;
    sleep();
  },
  stop: function() {
    if (this._call) {
      this._call = null;
      this._time = Infinity;
      sleep();
    }
  }
};
function timer(callback, delay, time) {
  var t5 = new Timer();
  t5.restart(callback, delay, time);
  return t5;
}
function timerFlush() {
  now();
  ++frame;
  var t5 = taskHead, e4;
  while (t5) {
    if ((e4 = clockNow - t5._time) >= 0) t5._call.call(void 0, e4);
    t5 = t5._next;
  }
  --frame;
}
function wake() {
  clockNow = (clockLast = clock.now()) + clockSkew;
  frame = timeout$1 = 0;
  try {
    timerFlush();
  } finally {
    frame = 0;
    nap();
    clockNow = 0;
  }
}
function poke() {
  var now2 = clock.now(), delay = now2 - clockLast;
  if (delay > pokeDelay) clockSkew -= delay, clockLast = now2;
}
function nap() {
  var t02, t12 = taskHead, t23, time = Infinity;
  while (t12) {
    if (t12._call) {
      if (time > t12._time) time = t12._time;
      t02 = t12, t12 = t12._next;
    } else {
      t23 = t12._next, t12._next = null;
      t12 = t02 ? t02._next = t23 : taskHead = t23;
    }
  }
  taskTail = t02;
  sleep(time);
}
function sleep(time) {
  if (frame) return;
  if (timeout$1) timeout$1 = clearTimeout(timeout$1);
  var delay = time - clockNow;
  if (delay > 24) {
    if (time < Infinity) timeout$1 = setTimeout(wake, Math.ceil(time - clock.now() - clockSkew) + 1);
    if (interval$1) interval$1 = clearInterval(interval$1);
  } else {
    if (!interval$1) clockLast = clock.now(), interval$1 = setInterval(poke, pokeDelay);
    frame = 1, setFrame(wake);
  }
}
function timeout(callback, delay, time) {
  var t5 = new Timer();
  delay = delay == null ? 0 : +delay;
  t5.restart((elapsed) => {
    t5.stop();
    callback(elapsed + delay);
  }, delay, time);
  return t5;
}

// node_modules/d3-ease/dist/d3-ease.mjs
function cubicInOut(t5) {
  return ((t5 *= 2) <= 1 ? t5 * t5 * t5 : (t5 -= 2) * t5 * t5 + 2) / 2;
}
var exponent = 3;
var polyIn = (function custom(e4) {
  e4 = +e4;
  function polyIn2(t5) {
    return Math.pow(t5, e4);
  }
  polyIn2.exponent = custom;
  return polyIn2;
})(exponent);
var polyOut = (function custom2(e4) {
  e4 = +e4;
  function polyOut2(t5) {
    return 1 - Math.pow(1 - t5, e4);
  }
  polyOut2.exponent = custom2;
  return polyOut2;
})(exponent);
var polyInOut = (function custom3(e4) {
  e4 = +e4;
  function polyInOut2(t5) {
    return ((t5 *= 2) <= 1 ? Math.pow(t5, e4) : 2 - Math.pow(2 - t5, e4)) / 2;
  }
  polyInOut2.exponent = custom3;
  return polyInOut2;
})(exponent);
var pi = Math.PI;
var halfPi = pi / 2;
function tpmt(x4) {
  return (Math.pow(2, -10 * x4) - 9765625e-10) * 1.0009775171065494;
}
var b1 = 4 / 11;
var b22 = 6 / 11;
var b32 = 8 / 11;
var b4 = 3 / 4;
var b5 = 9 / 11;
var b6 = 10 / 11;
var b7 = 15 / 16;
var b8 = 21 / 22;
var b9 = 63 / 64;
var b0 = 1 / b1 / b1;
var overshoot = 1.70158;
var backIn = (function custom4(s4) {
  s4 = +s4;
  function backIn2(t5) {
    return (t5 = +t5) * t5 * (s4 * (t5 - 1) + t5);
  }
  backIn2.overshoot = custom4;
  return backIn2;
})(overshoot);
var backOut = (function custom5(s4) {
  s4 = +s4;
  function backOut2(t5) {
    return --t5 * t5 * ((t5 + 1) * s4 + t5) + 1;
  }
  backOut2.overshoot = custom5;
  return backOut2;
})(overshoot);
var backInOut = (function custom6(s4) {
  s4 = +s4;
  function backInOut2(t5) {
    return ((t5 *= 2) < 1 ? t5 * t5 * ((s4 + 1) * t5 - s4) : (t5 -= 2) * t5 * ((s4 + 1) * t5 + s4) + 2) / 2;
  }
  backInOut2.overshoot = custom6;
  return backInOut2;
})(overshoot);
var tau = 2 * Math.PI;
var amplitude = 1;
var period = 0.3;
var elasticIn = (function custom7(a4, p5) {
  var s4 = Math.asin(1 / (a4 = Math.max(1, a4))) * (p5 /= tau);
  function elasticIn2(t5) {
    return a4 * tpmt(- --t5) * Math.sin((s4 - t5) / p5);
  }
  elasticIn2.amplitude = function(a5) {
    return custom7(a5, p5 * tau);
  };
  elasticIn2.period = function(p6) {
    return custom7(a4, p6);
  };
  return elasticIn2;
})(amplitude, period);
var elasticOut = (function custom8(a4, p5) {
  var s4 = Math.asin(1 / (a4 = Math.max(1, a4))) * (p5 /= tau);
  function elasticOut2(t5) {
    return 1 - a4 * tpmt(t5 = +t5) * Math.sin((t5 + s4) / p5);
  }
  elasticOut2.amplitude = function(a5) {
    return custom8(a5, p5 * tau);
  };
  elasticOut2.period = function(p6) {
    return custom8(a4, p6);
  };
  return elasticOut2;
})(amplitude, period);
var elasticInOut = (function custom9(a4, p5) {
  var s4 = Math.asin(1 / (a4 = Math.max(1, a4))) * (p5 /= tau);
  function elasticInOut2(t5) {
    return ((t5 = t5 * 2 - 1) < 0 ? a4 * tpmt(-t5) * Math.sin((s4 - t5) / p5) : 2 - a4 * tpmt(t5) * Math.sin((s4 + t5) / p5)) / 2;
  }
  elasticInOut2.amplitude = function(a5) {
    return custom9(a5, p5 * tau);
  };
  elasticInOut2.period = function(p6) {
    return custom9(a4, p6);
  };
  return elasticInOut2;
})(amplitude, period);

// node_modules/d3-transition/dist/d3-transition.mjs
var emptyOn = dispatch("start", "end", "cancel", "interrupt");
var emptyTween = [];
var CREATED = 0;
var SCHEDULED = 1;
var STARTING = 2;
var STARTED = 3;
var RUNNING = 4;
var ENDING = 5;
var ENDED = 6;
function schedule(node, name, id2, index, group, timing) {
  var schedules = node.__transition;
  if (!schedules) node.__transition = {};
  else if (id2 in schedules) return;
  create(node, id2, {
    name,
    index,
    // For context during callback.
    group,
    // For context during callback.
    on: emptyOn,
    tween: emptyTween,
    time: timing.time,
    delay: timing.delay,
    duration: timing.duration,
    ease: timing.ease,
    timer: null,
    state: CREATED
  });
}
function init(node, id2) {
  var schedule2 = get2(node, id2);
  if (schedule2.state > CREATED) throw new Error("too late; already scheduled");
  return schedule2;
}
function set2(node, id2) {
  var schedule2 = get2(node, id2);
  if (schedule2.state > STARTED) throw new Error("too late; already running");
  return schedule2;
}
function get2(node, id2) {
  var schedule2 = node.__transition;
  if (!schedule2 || !(schedule2 = schedule2[id2])) throw new Error("transition not found");
  return schedule2;
}
function create(node, id2, self) {
  var schedules = node.__transition, tween;
  schedules[id2] = self;
  self.timer = timer(schedule2, 0, self.time);
  function schedule2(elapsed) {
    self.state = SCHEDULED;
    self.timer.restart(start2, self.delay, self.time);
    if (self.delay <= elapsed) start2(elapsed - self.delay);
  }
  function start2(elapsed) {
    var i4, j4, n4, o4;
    if (self.state !== SCHEDULED) return stop();
    for (i4 in schedules) {
      o4 = schedules[i4];
      if (o4.name !== self.name) continue;
      if (o4.state === STARTED) return timeout(start2);
      if (o4.state === RUNNING) {
        o4.state = ENDED;
        o4.timer.stop();
        o4.on.call("interrupt", node, node.__data__, o4.index, o4.group);
        delete schedules[i4];
      } else if (+i4 < id2) {
        o4.state = ENDED;
        o4.timer.stop();
        o4.on.call("cancel", node, node.__data__, o4.index, o4.group);
        delete schedules[i4];
      }
    }
    timeout(function() {
      if (self.state === STARTED) {
        self.state = RUNNING;
        self.timer.restart(tick, self.delay, self.time);
        tick(elapsed);
      }
    });
    self.state = STARTING;
    self.on.call("start", node, node.__data__, self.index, self.group);
    if (self.state !== STARTING) return;
    self.state = STARTED;
    tween = new Array(n4 = self.tween.length);
    for (i4 = 0, j4 = -1; i4 < n4; ++i4) {
      if (o4 = self.tween[i4].value.call(node, node.__data__, self.index, self.group)) {
        tween[++j4] = o4;
      }
    }
    tween.length = j4 + 1;
  }
  function tick(elapsed) {
    var t5 = elapsed < self.duration ? self.ease.call(null, elapsed / self.duration) : (self.timer.restart(stop), self.state = ENDING, 1), i4 = -1, n4 = tween.length;
    while (++i4 < n4) {
      tween[i4].call(node, t5);
    }
    if (self.state === ENDING) {
      self.on.call("end", node, node.__data__, self.index, self.group);
      stop();
    }
  }
  function stop() {
    self.state = ENDED;
    self.timer.stop();
    delete schedules[id2];
    for (var i4 in schedules) return;
    delete node.__transition;
  }
}
function interrupt(node, name) {
  var schedules = node.__transition, schedule2, active, empty2 = true, i4;
  if (!schedules) return;
  name = name == null ? null : name + "";
  for (i4 in schedules) {
    if ((schedule2 = schedules[i4]).name !== name) {
      empty2 = false;
      continue;
    }
    active = schedule2.state > STARTING && schedule2.state < ENDING;
    schedule2.state = ENDED;
    schedule2.timer.stop();
    schedule2.on.call(active ? "interrupt" : "cancel", node, node.__data__, schedule2.index, schedule2.group);
    delete schedules[i4];
  }
  if (empty2) delete node.__transition;
}
function selection_interrupt(name) {
  return this.each(function() {
    interrupt(this, name);
  });
}
function tweenRemove(id2, name) {
  var tween0, tween1;
  return function() {
    var schedule2 = set2(this, id2), tween = schedule2.tween;
    if (tween !== tween0) {
      tween1 = tween0 = tween;
      for (var i4 = 0, n4 = tween1.length; i4 < n4; ++i4) {
        if (tween1[i4].name === name) {
          tween1 = tween1.slice();
          tween1.splice(i4, 1);
          break;
        }
      }
    }
    schedule2.tween = tween1;
  };
}
function tweenFunction(id2, name, value) {
  var tween0, tween1;
  if (typeof value !== "function") throw new Error();
  return function() {
    var schedule2 = set2(this, id2), tween = schedule2.tween;
    if (tween !== tween0) {
      tween1 = (tween0 = tween).slice();
      for (var t5 = { name, value }, i4 = 0, n4 = tween1.length; i4 < n4; ++i4) {
        if (tween1[i4].name === name) {
          tween1[i4] = t5;
          break;
        }
      }
      if (i4 === n4) tween1.push(t5);
    }
    schedule2.tween = tween1;
  };
}
function transition_tween(name, value) {
  var id2 = this._id;
  name += "";
  if (arguments.length < 2) {
    var tween = get2(this.node(), id2).tween;
    for (var i4 = 0, n4 = tween.length, t5; i4 < n4; ++i4) {
      if ((t5 = tween[i4]).name === name) {
        return t5.value;
      }
    }
    return null;
  }
  return this.each((value == null ? tweenRemove : tweenFunction)(id2, name, value));
}
function tweenValue(transition2, name, value) {
  var id2 = transition2._id;
  transition2.each(function() {
    var schedule2 = set2(this, id2);
    (schedule2.value || (schedule2.value = {}))[name] = value.apply(this, arguments);
  });
  return function(node) {
    return get2(node, id2).value[name];
  };
}
function interpolate(a4, b10) {
  var c4;
  return (typeof b10 === "number" ? number : b10 instanceof color ? rgb2 : (c4 = color(b10)) ? (b10 = c4, rgb2) : string)(a4, b10);
}
function attrRemove2(name) {
  return function() {
    this.removeAttribute(name);
  };
}
function attrRemoveNS2(fullname) {
  return function() {
    this.removeAttributeNS(fullname.space, fullname.local);
  };
}
function attrConstant2(name, interpolate2, value1) {
  var string00, string1 = value1 + "", interpolate0;
  return function() {
    var string0 = this.getAttribute(name);
    return string0 === string1 ? null : string0 === string00 ? interpolate0 : interpolate0 = interpolate2(string00 = string0, value1);
  };
}
function attrConstantNS2(fullname, interpolate2, value1) {
  var string00, string1 = value1 + "", interpolate0;
  return function() {
    var string0 = this.getAttributeNS(fullname.space, fullname.local);
    return string0 === string1 ? null : string0 === string00 ? interpolate0 : interpolate0 = interpolate2(string00 = string0, value1);
  };
}
function attrFunction2(name, interpolate2, value) {
  var string00, string10, interpolate0;
  return function() {
    var string0, value1 = value(this), string1;
    if (value1 == null) return void this.removeAttribute(name);
    string0 = this.getAttribute(name);
    string1 = value1 + "";
    return string0 === string1 ? null : string0 === string00 && string1 === string10 ? interpolate0 : (string10 = string1, interpolate0 = interpolate2(string00 = string0, value1));
  };
}
function attrFunctionNS2(fullname, interpolate2, value) {
  var string00, string10, interpolate0;
  return function() {
    var string0, value1 = value(this), string1;
    if (value1 == null) return void this.removeAttributeNS(fullname.space, fullname.local);
    string0 = this.getAttributeNS(fullname.space, fullname.local);
    string1 = value1 + "";
    return string0 === string1 ? null : string0 === string00 && string1 === string10 ? interpolate0 : (string10 = string1, interpolate0 = interpolate2(string00 = string0, value1));
  };
}
function transition_attr(name, value) {
  var fullname = namespace(name), i4 = fullname === "transform" ? interpolateTransformSvg : interpolate;
  return this.attrTween(name, typeof value === "function" ? (fullname.local ? attrFunctionNS2 : attrFunction2)(fullname, i4, tweenValue(this, "attr." + name, value)) : value == null ? (fullname.local ? attrRemoveNS2 : attrRemove2)(fullname) : (fullname.local ? attrConstantNS2 : attrConstant2)(fullname, i4, value));
}
function attrInterpolate(name, i4) {
  return function(t5) {
    this.setAttribute(name, i4.call(this, t5));
  };
}
function attrInterpolateNS(fullname, i4) {
  return function(t5) {
    this.setAttributeNS(fullname.space, fullname.local, i4.call(this, t5));
  };
}
function attrTweenNS(fullname, value) {
  var t02, i0;
  function tween() {
    var i4 = value.apply(this, arguments);
    if (i4 !== i0) t02 = (i0 = i4) && attrInterpolateNS(fullname, i4);
    return t02;
  }
  tween._value = value;
  return tween;
}
function attrTween(name, value) {
  var t02, i0;
  function tween() {
    var i4 = value.apply(this, arguments);
    if (i4 !== i0) t02 = (i0 = i4) && attrInterpolate(name, i4);
    return t02;
  }
  tween._value = value;
  return tween;
}
function transition_attrTween(name, value) {
  var key = "attr." + name;
  if (arguments.length < 2) return (key = this.tween(key)) && key._value;
  if (value == null) return this.tween(key, null);
  if (typeof value !== "function") throw new Error();
  var fullname = namespace(name);
  return this.tween(key, (fullname.local ? attrTweenNS : attrTween)(fullname, value));
}
function delayFunction(id2, value) {
  return function() {
    init(this, id2).delay = +value.apply(this, arguments);
  };
}
function delayConstant(id2, value) {
  return value = +value, function() {
    init(this, id2).delay = value;
  };
}
function transition_delay(value) {
  var id2 = this._id;
  return arguments.length ? this.each((typeof value === "function" ? delayFunction : delayConstant)(id2, value)) : get2(this.node(), id2).delay;
}
function durationFunction(id2, value) {
  return function() {
    set2(this, id2).duration = +value.apply(this, arguments);
  };
}
function durationConstant(id2, value) {
  return value = +value, function() {
    set2(this, id2).duration = value;
  };
}
function transition_duration(value) {
  var id2 = this._id;
  return arguments.length ? this.each((typeof value === "function" ? durationFunction : durationConstant)(id2, value)) : get2(this.node(), id2).duration;
}
function easeConstant(id2, value) {
  if (typeof value !== "function") throw new Error();
  return function() {
    set2(this, id2).ease = value;
  };
}
function transition_ease(value) {
  var id2 = this._id;
  return arguments.length ? this.each(easeConstant(id2, value)) : get2(this.node(), id2).ease;
}
function easeVarying(id2, value) {
  return function() {
    var v4 = value.apply(this, arguments);
    if (typeof v4 !== "function") throw new Error();
    set2(this, id2).ease = v4;
  };
}
function transition_easeVarying(value) {
  if (typeof value !== "function") throw new Error();
  return this.each(easeVarying(this._id, value));
}
function transition_filter(match) {
  if (typeof match !== "function") match = matcher(match);
  for (var groups = this._groups, m5 = groups.length, subgroups = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, subgroup = subgroups[j4] = [], node, i4 = 0; i4 < n4; ++i4) {
      if ((node = group[i4]) && match.call(node, node.__data__, i4, group)) {
        subgroup.push(node);
      }
    }
  }
  return new Transition(subgroups, this._parents, this._name, this._id);
}
function transition_merge(transition2) {
  if (transition2._id !== this._id) throw new Error();
  for (var groups0 = this._groups, groups1 = transition2._groups, m0 = groups0.length, m1 = groups1.length, m5 = Math.min(m0, m1), merges = new Array(m0), j4 = 0; j4 < m5; ++j4) {
    for (var group0 = groups0[j4], group1 = groups1[j4], n4 = group0.length, merge = merges[j4] = new Array(n4), node, i4 = 0; i4 < n4; ++i4) {
      if (node = group0[i4] || group1[i4]) {
        merge[i4] = node;
      }
    }
  }
  for (; j4 < m0; ++j4) {
    merges[j4] = groups0[j4];
  }
  return new Transition(merges, this._parents, this._name, this._id);
}
function start(name) {
  return (name + "").trim().split(/^|\s+/).every(function(t5) {
    var i4 = t5.indexOf(".");
    if (i4 >= 0) t5 = t5.slice(0, i4);
    return !t5 || t5 === "start";
  });
}
function onFunction(id2, name, listener) {
  var on0, on1, sit = start(name) ? init : set2;
  return function() {
    var schedule2 = sit(this, id2), on = schedule2.on;
    if (on !== on0) (on1 = (on0 = on).copy()).on(name, listener);
    schedule2.on = on1;
  };
}
function transition_on(name, listener) {
  var id2 = this._id;
  return arguments.length < 2 ? get2(this.node(), id2).on.on(name) : this.each(onFunction(id2, name, listener));
}
function removeFunction(id2) {
  return function() {
    var parent = this.parentNode;
    for (var i4 in this.__transition) if (+i4 !== id2) return;
    if (parent) parent.removeChild(this);
  };
}
function transition_remove() {
  return this.on("end.remove", removeFunction(this._id));
}
function transition_select(select2) {
  var name = this._name, id2 = this._id;
  if (typeof select2 !== "function") select2 = selector(select2);
  for (var groups = this._groups, m5 = groups.length, subgroups = new Array(m5), j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, subgroup = subgroups[j4] = new Array(n4), node, subnode, i4 = 0; i4 < n4; ++i4) {
      if ((node = group[i4]) && (subnode = select2.call(node, node.__data__, i4, group))) {
        if ("__data__" in node) subnode.__data__ = node.__data__;
        subgroup[i4] = subnode;
        schedule(subgroup[i4], name, id2, i4, subgroup, get2(node, id2));
      }
    }
  }
  return new Transition(subgroups, this._parents, name, id2);
}
function transition_selectAll(select2) {
  var name = this._name, id2 = this._id;
  if (typeof select2 !== "function") select2 = selectorAll(select2);
  for (var groups = this._groups, m5 = groups.length, subgroups = [], parents = [], j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, node, i4 = 0; i4 < n4; ++i4) {
      if (node = group[i4]) {
        for (var children2 = select2.call(node, node.__data__, i4, group), child, inherit2 = get2(node, id2), k4 = 0, l4 = children2.length; k4 < l4; ++k4) {
          if (child = children2[k4]) {
            schedule(child, name, id2, k4, children2, inherit2);
          }
        }
        subgroups.push(children2);
        parents.push(node);
      }
    }
  }
  return new Transition(subgroups, parents, name, id2);
}
var Selection2 = selection.prototype.constructor;
function transition_selection() {
  return new Selection2(this._groups, this._parents);
}
function styleNull(name, interpolate2) {
  var string00, string10, interpolate0;
  return function() {
    var string0 = styleValue(this, name), string1 = (this.style.removeProperty(name), styleValue(this, name));
    return string0 === string1 ? null : string0 === string00 && string1 === string10 ? interpolate0 : interpolate0 = interpolate2(string00 = string0, string10 = string1);
  };
}
function styleRemove2(name) {
  return function() {
    this.style.removeProperty(name);
  };
}
function styleConstant2(name, interpolate2, value1) {
  var string00, string1 = value1 + "", interpolate0;
  return function() {
    var string0 = styleValue(this, name);
    return string0 === string1 ? null : string0 === string00 ? interpolate0 : interpolate0 = interpolate2(string00 = string0, value1);
  };
}
function styleFunction2(name, interpolate2, value) {
  var string00, string10, interpolate0;
  return function() {
    var string0 = styleValue(this, name), value1 = value(this), string1 = value1 + "";
    if (value1 == null) string1 = value1 = (this.style.removeProperty(name), styleValue(this, name));
    return string0 === string1 ? null : string0 === string00 && string1 === string10 ? interpolate0 : (string10 = string1, interpolate0 = interpolate2(string00 = string0, value1));
  };
}
function styleMaybeRemove(id2, name) {
  var on0, on1, listener0, key = "style." + name, event = "end." + key, remove2;
  return function() {
    var schedule2 = set2(this, id2), on = schedule2.on, listener = schedule2.value[key] == null ? remove2 || (remove2 = styleRemove2(name)) : void 0;
    if (on !== on0 || listener0 !== listener) (on1 = (on0 = on).copy()).on(event, listener0 = listener);
    schedule2.on = on1;
  };
}
function transition_style(name, value, priority) {
  var i4 = (name += "") === "transform" ? interpolateTransformCss : interpolate;
  return value == null ? this.styleTween(name, styleNull(name, i4)).on("end.style." + name, styleRemove2(name)) : typeof value === "function" ? this.styleTween(name, styleFunction2(name, i4, tweenValue(this, "style." + name, value))).each(styleMaybeRemove(this._id, name)) : this.styleTween(name, styleConstant2(name, i4, value), priority).on("end.style." + name, null);
}
function styleInterpolate(name, i4, priority) {
  return function(t5) {
    this.style.setProperty(name, i4.call(this, t5), priority);
  };
}
function styleTween(name, value, priority) {
  var t5, i0;
  function tween() {
    var i4 = value.apply(this, arguments);
    if (i4 !== i0) t5 = (i0 = i4) && styleInterpolate(name, i4, priority);
    return t5;
  }
  tween._value = value;
  return tween;
}
function transition_styleTween(name, value, priority) {
  var key = "style." + (name += "");
  if (arguments.length < 2) return (key = this.tween(key)) && key._value;
  if (value == null) return this.tween(key, null);
  if (typeof value !== "function") throw new Error();
  return this.tween(key, styleTween(name, value, priority == null ? "" : priority));
}
function textConstant2(value) {
  return function() {
    this.textContent = value;
  };
}
function textFunction2(value) {
  return function() {
    var value1 = value(this);
    this.textContent = value1 == null ? "" : value1;
  };
}
function transition_text(value) {
  return this.tween("text", typeof value === "function" ? textFunction2(tweenValue(this, "text", value)) : textConstant2(value == null ? "" : value + ""));
}
function textInterpolate(i4) {
  return function(t5) {
    this.textContent = i4.call(this, t5);
  };
}
function textTween(value) {
  var t02, i0;
  function tween() {
    var i4 = value.apply(this, arguments);
    if (i4 !== i0) t02 = (i0 = i4) && textInterpolate(i4);
    return t02;
  }
  tween._value = value;
  return tween;
}
function transition_textTween(value) {
  var key = "text";
  if (arguments.length < 1) return (key = this.tween(key)) && key._value;
  if (value == null) return this.tween(key, null);
  if (typeof value !== "function") throw new Error();
  return this.tween(key, textTween(value));
}
function transition_transition() {
  var name = this._name, id0 = this._id, id1 = newId();
  for (var groups = this._groups, m5 = groups.length, j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, node, i4 = 0; i4 < n4; ++i4) {
      if (node = group[i4]) {
        var inherit2 = get2(node, id0);
        schedule(node, name, id1, i4, group, {
          time: inherit2.time + inherit2.delay + inherit2.duration,
          delay: 0,
          duration: inherit2.duration,
          ease: inherit2.ease
        });
      }
    }
  }
  return new Transition(groups, this._parents, name, id1);
}
function transition_end() {
  var on0, on1, that = this, id2 = that._id, size = that.size();
  return new Promise(function(resolve, reject) {
    var cancel = { value: reject }, end = { value: function() {
      if (--size === 0) resolve();
    } };
    that.each(function() {
      var schedule2 = set2(this, id2), on = schedule2.on;
      if (on !== on0) {
        on1 = (on0 = on).copy();
        on1._.cancel.push(cancel);
        on1._.interrupt.push(cancel);
        on1._.end.push(end);
      }
      schedule2.on = on1;
    });
    if (size === 0) resolve();
  });
}
var id = 0;
function Transition(groups, parents, name, id2) {
  this._groups = groups;
  this._parents = parents;
  this._name = name;
  this._id = id2;
}
function transition(name) {
  return selection().transition(name);
}
function newId() {
  return ++id;
}
var selection_prototype = selection.prototype;
Transition.prototype = transition.prototype = {
  constructor: Transition,
  select: transition_select,
  selectAll: transition_selectAll,
  selectChild: selection_prototype.selectChild,
  selectChildren: selection_prototype.selectChildren,
  filter: transition_filter,
  merge: transition_merge,
  selection: transition_selection,
  transition: transition_transition,
  call: selection_prototype.call,
  nodes: selection_prototype.nodes,
  node: selection_prototype.node,
  size: selection_prototype.size,
  empty: selection_prototype.empty,
  each: selection_prototype.each,
  on: transition_on,
  attr: transition_attr,
  attrTween: transition_attrTween,
  style: transition_style,
  styleTween: transition_styleTween,
  text: transition_text,
  textTween: transition_textTween,
  remove: transition_remove,
  tween: transition_tween,
  delay: transition_delay,
  duration: transition_duration,
  ease: transition_ease,
  easeVarying: transition_easeVarying,
  end: transition_end,
  [Symbol.iterator]: selection_prototype[Symbol.iterator]
};
var defaultTiming = {
  time: null,
  // Set on use.
  delay: 0,
  duration: 250,
  ease: cubicInOut
};
function inherit(node, id2) {
  var timing;
  while (!(timing = node.__transition) || !(timing = timing[id2])) {
    if (!(node = node.parentNode)) {
      throw new Error(`transition ${id2} not found`);
    }
  }
  return timing;
}
function selection_transition(name) {
  var id2, timing;
  if (name instanceof Transition) {
    id2 = name._id, name = name._name;
  } else {
    id2 = newId(), (timing = defaultTiming).time = now(), name = name == null ? null : name + "";
  }
  for (var groups = this._groups, m5 = groups.length, j4 = 0; j4 < m5; ++j4) {
    for (var group = groups[j4], n4 = group.length, node, i4 = 0; i4 < n4; ++i4) {
      if (node = group[i4]) {
        schedule(node, name, id2, i4, group, timing || inherit(node, id2));
      }
    }
  }
  return new Transition(groups, this._parents, name, id2);
}
selection.prototype.interrupt = selection_interrupt;
selection.prototype.transition = selection_transition;

// node_modules/d3-zoom/dist/d3-zoom.mjs
var constant3 = (x4) => () => x4;
function ZoomEvent(type, {
  sourceEvent: sourceEvent2,
  target,
  transform: transform2,
  dispatch: dispatch2
}) {
  Object.defineProperties(this, {
    type: { value: type, enumerable: true, configurable: true },
    sourceEvent: { value: sourceEvent2, enumerable: true, configurable: true },
    target: { value: target, enumerable: true, configurable: true },
    transform: { value: transform2, enumerable: true, configurable: true },
    _: { value: dispatch2 }
  });
}
function Transform(k4, x4, y5) {
  this.k = k4;
  this.x = x4;
  this.y = y5;
}
Transform.prototype = {
  constructor: Transform,
  scale: function(k4) {
    return k4 === 1 ? this : new Transform(this.k * k4, this.x, this.y);
  },
  translate: function(x4, y5) {
    return x4 === 0 & y5 === 0 ? this : new Transform(this.k, this.x + this.k * x4, this.y + this.k * y5);
  },
  apply: function(point) {
    return [point[0] * this.k + this.x, point[1] * this.k + this.y];
  },
  applyX: function(x4) {
    return x4 * this.k + this.x;
  },
  applyY: function(y5) {
    return y5 * this.k + this.y;
  },
  invert: function(location) {
    return [(location[0] - this.x) / this.k, (location[1] - this.y) / this.k];
  },
  invertX: function(x4) {
    return (x4 - this.x) / this.k;
  },
  invertY: function(y5) {
    return (y5 - this.y) / this.k;
  },
  rescaleX: function(x4) {
    return x4.copy().domain(x4.range().map(this.invertX, this).map(x4.invert, x4));
  },
  rescaleY: function(y5) {
    return y5.copy().domain(y5.range().map(this.invertY, this).map(y5.invert, y5));
  },
  toString: function() {
    return "translate(" + this.x + "," + this.y + ") scale(" + this.k + ")";
  }
};
var identity2 = new Transform(1, 0, 0);
transform.prototype = Transform.prototype;
function transform(node) {
  while (!node.__zoom) if (!(node = node.parentNode)) return identity2;
  return node.__zoom;
}
function nopropagation(event) {
  event.stopImmediatePropagation();
}
function noevent2(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
function defaultFilter(event) {
  return (!event.ctrlKey || event.type === "wheel") && !event.button;
}
function defaultExtent() {
  var e4 = this;
  if (e4 instanceof SVGElement) {
    e4 = e4.ownerSVGElement || e4;
    if (e4.hasAttribute("viewBox")) {
      e4 = e4.viewBox.baseVal;
      return [[e4.x, e4.y], [e4.x + e4.width, e4.y + e4.height]];
    }
    return [[0, 0], [e4.width.baseVal.value, e4.height.baseVal.value]];
  }
  return [[0, 0], [e4.clientWidth, e4.clientHeight]];
}
function defaultTransform() {
  return this.__zoom || identity2;
}
function defaultWheelDelta(event) {
  return -event.deltaY * (event.deltaMode === 1 ? 0.05 : event.deltaMode ? 1 : 2e-3) * (event.ctrlKey ? 10 : 1);
}
function defaultTouchable() {
  return navigator.maxTouchPoints || "ontouchstart" in this;
}
function defaultConstrain(transform2, extent, translateExtent) {
  var dx0 = transform2.invertX(extent[0][0]) - translateExtent[0][0], dx1 = transform2.invertX(extent[1][0]) - translateExtent[1][0], dy0 = transform2.invertY(extent[0][1]) - translateExtent[0][1], dy1 = transform2.invertY(extent[1][1]) - translateExtent[1][1];
  return transform2.translate(
    dx1 > dx0 ? (dx0 + dx1) / 2 : Math.min(0, dx0) || Math.max(0, dx1),
    dy1 > dy0 ? (dy0 + dy1) / 2 : Math.min(0, dy0) || Math.max(0, dy1)
  );
}
function zoom2() {
  var filter2 = defaultFilter, extent = defaultExtent, constrain = defaultConstrain, wheelDelta = defaultWheelDelta, touchable = defaultTouchable, scaleExtent = [0, Infinity], translateExtent = [[-Infinity, -Infinity], [Infinity, Infinity]], duration = 250, interpolate2 = zoom, listeners = dispatch("start", "zoom", "end"), touchstarting, touchfirst, touchending, touchDelay = 500, wheelDelay = 150, clickDistance2 = 0, tapDistance = 10;
  function zoom3(selection2) {
    selection2.property("__zoom", defaultTransform).on("wheel.zoom", wheeled, { passive: false }).on("mousedown.zoom", mousedowned).on("dblclick.zoom", dblclicked).filter(touchable).on("touchstart.zoom", touchstarted).on("touchmove.zoom", touchmoved).on("touchend.zoom touchcancel.zoom", touchended).style("-webkit-tap-highlight-color", "rgba(0,0,0,0)");
  }
  zoom3.transform = function(collection, transform2, point, event) {
    var selection2 = collection.selection ? collection.selection() : collection;
    selection2.property("__zoom", defaultTransform);
    if (collection !== selection2) {
      schedule2(collection, transform2, point, event);
    } else {
      selection2.interrupt().each(function() {
        gesture(this, arguments).event(event).start().zoom(null, typeof transform2 === "function" ? transform2.apply(this, arguments) : transform2).end();
      });
    }
  };
  zoom3.scaleBy = function(selection2, k4, p5, event) {
    zoom3.scaleTo(selection2, function() {
      var k0 = this.__zoom.k, k1 = typeof k4 === "function" ? k4.apply(this, arguments) : k4;
      return k0 * k1;
    }, p5, event);
  };
  zoom3.scaleTo = function(selection2, k4, p5, event) {
    zoom3.transform(selection2, function() {
      var e4 = extent.apply(this, arguments), t02 = this.__zoom, p0 = p5 == null ? centroid(e4) : typeof p5 === "function" ? p5.apply(this, arguments) : p5, p1 = t02.invert(p0), k1 = typeof k4 === "function" ? k4.apply(this, arguments) : k4;
      return constrain(translate(scale(t02, k1), p0, p1), e4, translateExtent);
    }, p5, event);
  };
  zoom3.translateBy = function(selection2, x4, y5, event) {
    zoom3.transform(selection2, function() {
      return constrain(this.__zoom.translate(
        typeof x4 === "function" ? x4.apply(this, arguments) : x4,
        typeof y5 === "function" ? y5.apply(this, arguments) : y5
      ), extent.apply(this, arguments), translateExtent);
    }, null, event);
  };
  zoom3.translateTo = function(selection2, x4, y5, p5, event) {
    zoom3.transform(selection2, function() {
      var e4 = extent.apply(this, arguments), t5 = this.__zoom, p0 = p5 == null ? centroid(e4) : typeof p5 === "function" ? p5.apply(this, arguments) : p5;
      return constrain(identity2.translate(p0[0], p0[1]).scale(t5.k).translate(
        typeof x4 === "function" ? -x4.apply(this, arguments) : -x4,
        typeof y5 === "function" ? -y5.apply(this, arguments) : -y5
      ), e4, translateExtent);
    }, p5, event);
  };
  function scale(transform2, k4) {
    k4 = Math.max(scaleExtent[0], Math.min(scaleExtent[1], k4));
    return k4 === transform2.k ? transform2 : new Transform(k4, transform2.x, transform2.y);
  }
  function translate(transform2, p0, p1) {
    var x4 = p0[0] - p1[0] * transform2.k, y5 = p0[1] - p1[1] * transform2.k;
    return x4 === transform2.x && y5 === transform2.y ? transform2 : new Transform(transform2.k, x4, y5);
  }
  function centroid(extent2) {
    return [(+extent2[0][0] + +extent2[1][0]) / 2, (+extent2[0][1] + +extent2[1][1]) / 2];
  }
  function schedule2(transition2, transform2, point, event) {
    transition2.on("start.zoom", function() {
      gesture(this, arguments).event(event).start();
    }).on("interrupt.zoom end.zoom", function() {
      gesture(this, arguments).event(event).end();
    }).tween("zoom", function() {
      var that = this, args = arguments, g5 = gesture(that, args).event(event), e4 = extent.apply(that, args), p5 = point == null ? centroid(e4) : typeof point === "function" ? point.apply(that, args) : point, w5 = Math.max(e4[1][0] - e4[0][0], e4[1][1] - e4[0][1]), a4 = that.__zoom, b10 = typeof transform2 === "function" ? transform2.apply(that, args) : transform2, i4 = interpolate2(a4.invert(p5).concat(w5 / a4.k), b10.invert(p5).concat(w5 / b10.k));
      return function(t5) {
        if (t5 === 1) t5 = b10;
        else {
          var l4 = i4(t5), k4 = w5 / l4[2];
          t5 = new Transform(k4, p5[0] - l4[0] * k4, p5[1] - l4[1] * k4);
        }
        g5.zoom(null, t5);
      };
    });
  }
  function gesture(that, args, clean) {
    return !clean && that.__zooming || new Gesture(that, args);
  }
  function Gesture(that, args) {
    this.that = that;
    this.args = args;
    this.active = 0;
    this.sourceEvent = null;
    this.extent = extent.apply(that, args);
    this.taps = 0;
  }
  Gesture.prototype = {
    event: function(event) {
      if (event) this.sourceEvent = event;
      return this;
    },
    start: function() {
      if (++this.active === 1) {
        this.that.__zooming = this;
        this.emit("start");
      }
      return this;
    },
    zoom: function(key, transform2) {
      if (this.mouse && key !== "mouse") this.mouse[1] = transform2.invert(this.mouse[0]);
      if (this.touch0 && key !== "touch") this.touch0[1] = transform2.invert(this.touch0[0]);
      if (this.touch1 && key !== "touch") this.touch1[1] = transform2.invert(this.touch1[0]);
      this.that.__zoom = transform2;
      this.emit("zoom");
      return this;
    },
    end: function() {
      if (--this.active === 0) {
        delete this.that.__zooming;
        this.emit("end");
      }
      return this;
    },
    emit: function(type) {
      var d5 = select(this.that).datum();
      listeners.call(
        type,
        this.that,
        new ZoomEvent(type, {
          sourceEvent: this.sourceEvent,
          target: zoom3,
          transform: this.that.__zoom,
          dispatch: listeners
        }),
        d5
      );
    }
  };
  function wheeled(event, ...args) {
    if (!filter2.apply(this, arguments)) return;
    var g5 = gesture(this, args).event(event), t5 = this.__zoom, k4 = Math.max(scaleExtent[0], Math.min(scaleExtent[1], t5.k * Math.pow(2, wheelDelta.apply(this, arguments)))), p5 = pointer(event);
    if (g5.wheel) {
      if (g5.mouse[0][0] !== p5[0] || g5.mouse[0][1] !== p5[1]) {
        g5.mouse[1] = t5.invert(g5.mouse[0] = p5);
      }
      clearTimeout(g5.wheel);
    } else if (t5.k === k4) return;
    else {
      g5.mouse = [p5, t5.invert(p5)];
      interrupt(this);
      g5.start();
    }
    noevent2(event);
    g5.wheel = setTimeout(wheelidled, wheelDelay);
    g5.zoom("mouse", constrain(translate(scale(t5, k4), g5.mouse[0], g5.mouse[1]), g5.extent, translateExtent));
    function wheelidled() {
      g5.wheel = null;
      g5.end();
    }
  }
  function mousedowned(event, ...args) {
    if (touchending || !filter2.apply(this, arguments)) return;
    var currentTarget = event.currentTarget, g5 = gesture(this, args, true).event(event), v4 = select(event.view).on("mousemove.zoom", mousemoved, true).on("mouseup.zoom", mouseupped, true), p5 = pointer(event, currentTarget), x0 = event.clientX, y0 = event.clientY;
    nodrag(event.view);
    nopropagation(event);
    g5.mouse = [p5, this.__zoom.invert(p5)];
    interrupt(this);
    g5.start();
    function mousemoved(event2) {
      noevent2(event2);
      if (!g5.moved) {
        var dx = event2.clientX - x0, dy = event2.clientY - y0;
        g5.moved = dx * dx + dy * dy > clickDistance2;
      }
      g5.event(event2).zoom("mouse", constrain(translate(g5.that.__zoom, g5.mouse[0] = pointer(event2, currentTarget), g5.mouse[1]), g5.extent, translateExtent));
    }
    function mouseupped(event2) {
      v4.on("mousemove.zoom mouseup.zoom", null);
      yesdrag(event2.view, g5.moved);
      noevent2(event2);
      g5.event(event2).end();
    }
  }
  function dblclicked(event, ...args) {
    if (!filter2.apply(this, arguments)) return;
    var t02 = this.__zoom, p0 = pointer(event.changedTouches ? event.changedTouches[0] : event, this), p1 = t02.invert(p0), k1 = t02.k * (event.shiftKey ? 0.5 : 2), t12 = constrain(translate(scale(t02, k1), p0, p1), extent.apply(this, args), translateExtent);
    noevent2(event);
    if (duration > 0) select(this).transition().duration(duration).call(schedule2, t12, p0, event);
    else select(this).call(zoom3.transform, t12, p0, event);
  }
  function touchstarted(event, ...args) {
    if (!filter2.apply(this, arguments)) return;
    var touches = event.touches, n4 = touches.length, g5 = gesture(this, args, event.changedTouches.length === n4).event(event), started, i4, t5, p5;
    nopropagation(event);
    for (i4 = 0; i4 < n4; ++i4) {
      t5 = touches[i4], p5 = pointer(t5, this);
      p5 = [p5, this.__zoom.invert(p5), t5.identifier];
      if (!g5.touch0) g5.touch0 = p5, started = true, g5.taps = 1 + !!touchstarting;
      else if (!g5.touch1 && g5.touch0[2] !== p5[2]) g5.touch1 = p5, g5.taps = 0;
    }
    if (touchstarting) touchstarting = clearTimeout(touchstarting);
    if (started) {
      if (g5.taps < 2) touchfirst = p5[0], touchstarting = setTimeout(function() {
        touchstarting = null;
      }, touchDelay);
      interrupt(this);
      g5.start();
    }
  }
  function touchmoved(event, ...args) {
    if (!this.__zooming) return;
    var g5 = gesture(this, args).event(event), touches = event.changedTouches, n4 = touches.length, i4, t5, p5, l4;
    noevent2(event);
    for (i4 = 0; i4 < n4; ++i4) {
      t5 = touches[i4], p5 = pointer(t5, this);
      if (g5.touch0 && g5.touch0[2] === t5.identifier) g5.touch0[0] = p5;
      else if (g5.touch1 && g5.touch1[2] === t5.identifier) g5.touch1[0] = p5;
    }
    t5 = g5.that.__zoom;
    if (g5.touch1) {
      var p0 = g5.touch0[0], l0 = g5.touch0[1], p1 = g5.touch1[0], l1 = g5.touch1[1], dp = (dp = p1[0] - p0[0]) * dp + (dp = p1[1] - p0[1]) * dp, dl = (dl = l1[0] - l0[0]) * dl + (dl = l1[1] - l0[1]) * dl;
      t5 = scale(t5, Math.sqrt(dp / dl));
      p5 = [(p0[0] + p1[0]) / 2, (p0[1] + p1[1]) / 2];
      l4 = [(l0[0] + l1[0]) / 2, (l0[1] + l1[1]) / 2];
    } else if (g5.touch0) p5 = g5.touch0[0], l4 = g5.touch0[1];
    else return;
    g5.zoom("touch", constrain(translate(t5, p5, l4), g5.extent, translateExtent));
  }
  function touchended(event, ...args) {
    if (!this.__zooming) return;
    var g5 = gesture(this, args).event(event), touches = event.changedTouches, n4 = touches.length, i4, t5;
    nopropagation(event);
    if (touchending) clearTimeout(touchending);
    touchending = setTimeout(function() {
      touchending = null;
    }, touchDelay);
    for (i4 = 0; i4 < n4; ++i4) {
      t5 = touches[i4];
      if (g5.touch0 && g5.touch0[2] === t5.identifier) delete g5.touch0;
      else if (g5.touch1 && g5.touch1[2] === t5.identifier) delete g5.touch1;
    }
    if (g5.touch1 && !g5.touch0) g5.touch0 = g5.touch1, delete g5.touch1;
    if (g5.touch0) g5.touch0[1] = this.__zoom.invert(g5.touch0[0]);
    else {
      g5.end();
      if (g5.taps === 2) {
        t5 = pointer(t5, this);
        if (Math.hypot(touchfirst[0] - t5[0], touchfirst[1] - t5[1]) < tapDistance) {
          var p5 = select(this).on("dblclick.zoom");
          if (p5) p5.apply(this, arguments);
        }
      }
    }
  }
  zoom3.wheelDelta = function(_5) {
    return arguments.length ? (wheelDelta = typeof _5 === "function" ? _5 : constant3(+_5), zoom3) : wheelDelta;
  };
  zoom3.filter = function(_5) {
    return arguments.length ? (filter2 = typeof _5 === "function" ? _5 : constant3(!!_5), zoom3) : filter2;
  };
  zoom3.touchable = function(_5) {
    return arguments.length ? (touchable = typeof _5 === "function" ? _5 : constant3(!!_5), zoom3) : touchable;
  };
  zoom3.extent = function(_5) {
    return arguments.length ? (extent = typeof _5 === "function" ? _5 : constant3([[+_5[0][0], +_5[0][1]], [+_5[1][0], +_5[1][1]]]), zoom3) : extent;
  };
  zoom3.scaleExtent = function(_5) {
    return arguments.length ? (scaleExtent[0] = +_5[0], scaleExtent[1] = +_5[1], zoom3) : [scaleExtent[0], scaleExtent[1]];
  };
  zoom3.translateExtent = function(_5) {
    return arguments.length ? (translateExtent[0][0] = +_5[0][0], translateExtent[1][0] = +_5[1][0], translateExtent[0][1] = +_5[0][1], translateExtent[1][1] = +_5[1][1], zoom3) : [[translateExtent[0][0], translateExtent[0][1]], [translateExtent[1][0], translateExtent[1][1]]];
  };
  zoom3.constrain = function(_5) {
    return arguments.length ? (constrain = _5, zoom3) : constrain;
  };
  zoom3.duration = function(_5) {
    return arguments.length ? (duration = +_5, zoom3) : duration;
  };
  zoom3.interpolate = function(_5) {
    return arguments.length ? (interpolate2 = _5, zoom3) : interpolate2;
  };
  zoom3.on = function() {
    var value = listeners.on.apply(listeners, arguments);
    return value === listeners ? zoom3 : value;
  };
  zoom3.clickDistance = function(_5) {
    return arguments.length ? (clickDistance2 = (_5 = +_5) * _5, zoom3) : Math.sqrt(clickDistance2);
  };
  zoom3.tapDistance = function(_5) {
    return arguments.length ? (tapDistance = +_5, zoom3) : tapDistance;
  };
  return zoom3;
}

// entry.js
var html = htm_module_default.bind(k);
export {
  x as Component,
  $ as Fragment,
  r3 as batch,
  O3 as computed,
  U as createContext,
  M as createRef,
  x2 as effect,
  k as h,
  html,
  zoom as interpolateZoom,
  n2 as options,
  pointer,
  Q as render,
  select,
  y3 as signal,
  O as toChildArray,
  f3 as untracked,
  b as useCallback,
  useComputed,
  j2 as useContext,
  A2 as useEffect,
  O2 as useErrorBoundary,
  P2 as useId,
  F2 as useLayoutEffect,
  w2 as useMemo,
  _2 as useReducer,
  T2 as useRef,
  useSignal,
  useSignalEffect,
  d2 as useState,
  zoom2 as zoom,
  identity2 as zoomIdentity
};
