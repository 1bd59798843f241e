-- :no; 'open
SELECT /* :no; ' " */ :x AS x -- :no ; it's
, 2 /**/ AS two /***/ --
;/* :no */-- end :no
